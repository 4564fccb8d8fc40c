// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for NVIDIA's management library: one GPU at 0000:17:00.0, hot and at its power cap.
#include <cstring>

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "999.88.7", length);
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, void** device) {
  static int gpu;
  *device = &gpu;
  return std::strcmp(pci, "0000:17:00.0") == 0 ? 0 : 6;  // not found
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* megahertz) {
  *megahertz = type == 1 ? 1980 : 2619;
  return type == 1 || type == 2 ? 0 : 2;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  *celsius = 71;
  return sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void*, unsigned*) { return 3; }  // not supported
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x2 | 0x4 | 0x40;  // idle, and as its owner has set it, are no throttling
  return 0;
}
}
