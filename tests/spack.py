#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the Spack recipe with a stand-in for Spack: spack.py RECIPE SOURCE. That it is Python, that what it says is
asked for and passed on exists (variants; options of the CMake project), and nothing more: only Spack itself can run
it."""

import pathlib
import re
import sys
import types

recipe, source = (pathlib.Path(argument) for argument in sys.argv[1:3])
said = {name: [] for name in ("license", "version", "variant", "depends_on", "conflicts")}


class Package:
    run_tests = False

    def define(self, option, value):
        return f"-D{option}={value}"

    def define_from_variant(self, option, variant):
        assert variant in variants, f"{option} comes from a variant '{variant}' that there is not"
        return self.define(option, variant)


class CudaPackage(Package):
    cuda_arch_values = ("80", "90")


def module(name, **contents):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(contents)


def recorder(name):
    return lambda *arguments, **options: said[name].append((arguments, options))


for package in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    module(package)
module("spack_repo.builtin.build_systems.cmake", CMakePackage=type("CMakePackage", (Package,), {}))
module("spack_repo.builtin.build_systems.cuda", CudaPackage=CudaPackage)
module("spack.package", **{name: recorder(name) for name in said})
names = {}
exec(compile(recipe.read_text(), str(recipe), "exec"), names)

variants = {arguments[0] for arguments, _ in said["variant"]} | {"cuda", "cuda_arch"}
for name in said:
    for arguments, options in said[name]:
        for used in re.findall(r"[+~](\w+)|(\w+)=", options.get("when", "")):
            assert set(used) & variants, f"{name} {arguments} asks for a variant that there is not: {options['when']}"
assert said["license"] and said["version"], "no licence or no version"
package = names["Abax"]
options = package().cmake_args()
project = "".join(
    file.read_text() for file in [source / "CMakeLists.txt", *(source / "backends").glob("*.cmake")]
)
for option in options:
    name = re.fullmatch(r"-D(\w+)=.*", option)[1]
    assert re.search(rf"\b{name}\b", project), f"the project has no option {name}"
print(f"the Spack recipe: {len(said['depends_on'])} dependencies, {len(options)} options of the project, all there")
