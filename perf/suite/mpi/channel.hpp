// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// Lines over a socket.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace abax::perf {

/// One end of a stream socket. What it sends are whole lines; what came is handed out line by line.
class channel {
 public:
  explicit channel(int fd = -1) : fd_(fd) {}
  channel(channel&& other) noexcept : fd_(std::exchange(other.fd_, -1)), came_(std::move(other.came_)) {}
  channel& operator=(channel&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(came_, other.came_);
    return *this;
  }
  ~channel() { close(); }

  int fd() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  /// False where nobody listens any more.
  bool send(std::string line) const {
    line += '\n';
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t n = ::send(fd_, line.data() + done, line.size() - done, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }

  /// Takes what has come, at least a byte or the end: false at the end.
  bool receive() {
    char block[1 << 16];
    const ssize_t n = ::recv(fd_, block, sizeof block, 0);
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false;
    came_.append(block, static_cast<std::size_t>(n));
    return true;
  }

  /// Bytes that have been received and not handed out.
  std::size_t held() const { return came_.size(); }

  /// The next whole line that has been received.
  bool next(std::string& line) {
    const std::size_t end = came_.find('\n');
    if (end == std::string::npos) return false;
    line = came_.substr(0, end);
    came_.erase(0, end + 1);
    return true;
  }
  /// Waits for it; false at the end.
  bool wait(std::string& line) {
    while (!next(line))
      if (!receive()) return false;
    return true;
  }

 private:
  int fd_;
  std::string came_;
};

}  // namespace abax::perf
