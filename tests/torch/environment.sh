# SPDX-License-Identifier: Apache-2.0
#
# A part of quickstart, whose functions these use: PyTorch, in an environment of its own.

# What PyTorch and the compiler in it need, beside that.
torch_needs='
cmd:python3		python3
cmd:c++			g++
py:ensurepip		python3-venv
py:Python.h		libpython3-dev python3-dev
'

# What some of the jobs of check-torch are started with; without it those skip.
torch_wishes='cmd:mpirun	openmpi-bin
'

torch_version=2.15.0

# What of its dependencies it does not import without, and numpy for its collectives of objects.
# (Its metadata also wants Triton, which no CPU needs, and all of CUDA.)
torch_packages="typing-extensions>=4.13.0 sympy>=1.13.3 networkx>=2.5.1 jinja2 filelock
fsspec>=0.8.5 setuptools>=77.0.3 numpy"

# The libraries that it links, where they are not on the machine: which package brings which, in
# the versions that its metadata names.
torch_libraries='
libcublas		nvidia-cublas==13.4.1.3.*
libcublasLt		nvidia-cublas==13.4.1.3.*
libcudart		nvidia-cuda-runtime==13.2.86.*
libcudnn		nvidia-cudnn-cu13==9.26.0.51
libcufft		nvidia-cufft==12.2.0.57.*
libcufile		nvidia-cufile==1.17.1.22.*
libcupti		nvidia-cuda-cupti==13.2.86.*
libcurand		nvidia-curand==10.4.2.66.*
libcusolver		nvidia-cusolver==12.2.0.11.*
libcusparse		nvidia-cusparse==12.7.10.12.*
libcusparseLt		nvidia-cusparselt-cu13==0.8.1
libnccl			nvidia-nccl-cu13==2.30.7
libnvJitLink		nvidia-nvjitlink==13.2.*
libnvrtc		nvidia-cuda-nvrtc==13.2.86.*
libnvshmem_host		nvidia-nvshmem-cu13==3.7.2
'

# torch_works: is it there, in that version, with the parts that the tests use? If not, $why tells.
torch_works() {
	why=$("$torch/bin/python" -c 'import sys
import numpy, torch, torch.distributed.fsdp, torch.distributed.run, torch._inductor.compile_fx
sys.exit(torch.__version__.split("+")[0] != sys.argv[1] and "it is " + torch.__version__)
' "$torch_version" 2>&1 >/dev/null)
}

# Prints, one a line, the packages of libraries that it links and that nobody has; libcuda is the
# driver's.
torch_lacks() {
	for file in "$torch"/lib/python3*/site-packages/torch/lib/*.so; do
		ldd "$file" 2>/dev/null
	done | sed -n 's/^[[:space:]]*\([A-Za-z_]*\)\.so.* => not found.*/\1/p' | sort -u |
		while read -r library; do
			printf '%s' "$torch_libraries" | while read -r name package; do
				[ "$name" != "$library" ] || echo "$package"
			done
		done | sort -u
}

torch_pip() {
	TMPDIR=$torch/tmp "$torch/bin/python" -m pip --disable-pip-version-check --no-cache-dir \
		--quiet install --no-warn-script-location "$@" >&2
}

# The disk that it takes, in KiB, at its fullest: what is unpacked and what is just downloaded.
torch_size() {
	if PATH="$PATH:/sbin" ldconfig -p 2>/dev/null | grep -q 'libcublas\.so\.13' &&
		PATH="$PATH:/sbin" ldconfig -p | grep -q 'libcudnn\.so\.9'; then
		echo $((4 << 20))
	else
		echo $((9 << 20))
	fi
}

# Asked before anything is downloaded.
torch_room() {
	size=$(torch_size)
	mkdir -p "${torch%/*}" || die "cannot make ${torch%/*}"
	free=$(df -Pk "${torch%/*}" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$size" ] ||
		die "PyTorch needs $((size >> 20)) GiB where $torch is," \
			"and $((free >> 20)) are free; INQUEST_TORCH=FOLDER puts it elsewhere"
}

# torch_fill [--clear]: makes the environment, or goes on where an earlier try stopped.
torch_fill() {
	python3 -m venv "$@" "$torch" >&2 || return 1
	mkdir -p "$torch/tmp"
	say "torch $torch_version (half a gigabyte) into $torch"
	torch_pip $torch_packages || return 1
	# The compiler of graphs for a GPU; for a CPU it writes C++.
	! [ -e /dev/nvidiactl ] || torch_pip "triton~=3.9.0" || return 1
	torch_pip --no-deps "torch==$torch_version" || return 1
	packages=$(torch_lacks)
	if [ -n "$packages" ]; then
		say "libraries that are not on this machine:" $packages
		torch_pip --no-deps $packages || return 1
	fi
	# One may be there and older than what it was linked with; that shows in a missing symbol.
	torch_works && return
	case $why in
	*"undefined symbol: nccl"*) package=libnccl ;;
	*"undefined symbol: cudnn"*) package=libcudnn ;;
	*"undefined symbol: cusparse"*) package=libcusparse ;;
	*"undefined symbol: cufft"*) package=libcufft ;;
	*) return 1 ;;
	esac
	say "the $package of this machine is too old for it"
	torch_pip --no-deps "$(printf '%s' "$torch_libraries" |
		awk -v name=$package '$1 == name { print $2 }')"
	torch_works
}

install_torch() {
	if torch_works; then
		say "torch $torch_version is in $torch"
		return
	fi
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		die "torch $torch_version needs Python 3.11 or newer; here is $(python3 --version)"
	if [ -d "$torch" ] && ! [ -e "$torch/pyvenv.cfg" ] && [ -n "$(ls -A "$torch")" ]; then
		die "$torch is not empty, and no environment of Python;" \
			"name another by INQUEST_TORCH"
	fi
	torch_room
	torch_fill || {
		say "starting again from nothing"
		torch_fill --clear
	} || {
		printf '%s\n' "$why" | tail -n 5 >&2
		die "torch could not be installed"
	}
	rm -rf "$torch/tmp"
	say "torch $torch_version is in $torch"
}

# The folder is $torch.
torch_environment() {
	torch=${INQUEST_TORCH:-$top/build/torch}
	[ "${torch#/}" != "$torch" ] || torch=$called_from/$torch
	needs=$torch_needs wishes=$torch_wishes
	install_packages
	install_torch
	install_wishes
}
