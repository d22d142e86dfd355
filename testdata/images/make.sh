#!/bin/bash
# Makes every binary file of this folder again from src/. Needs, on Debian 12:
#
#   apt-get install gcc clang-16 lld-16 clang-tools-16 clang-19 lld-19 clang-tools-19 clang-22 lld-22 clang-tools-22 llvm-22
#
# and NVIDIA's assemblers and packers from PyPI, unpacked into one folder each:
#
#   pip install --no-deps --target cuda11 nvidia-cuda-nvcc-cu11==11.8.89
#   pip install --no-deps --target cuda12 nvidia-cuda-nvcc-cu12==12.9.86
#   pip install --no-deps --target cuda13 nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96
#
#   CUDA11=cuda11/nvidia/cuda_nvcc CUDA12=cuda12/nvidia/cuda_nvcc CUDA13=cuda13/nvidia/cu13 ./make.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${CUDA11:?a folder with bin/ptxas of CUDA 11}" "${CUDA12:?of CUDA 12}" "${CUDA13:?with bin/nvcc of CUDA 13}"
CUDA11=$(realpath "$CUDA11") CUDA12=$(realpath "$CUDA12") CUDA13=$(realpath "$CUDA13")
chmod +x "$CUDA11"/bin/* "$CUDA12"/bin/* "$CUDA13"/bin/* "$CUDA13"/nvvm/bin/*
versions="16 19 22"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/src/* "$work"
rm -rf "$here"/{elf,amdgpu,nvidia,bundle,offload,bitcode}
mkdir "$here"/{elf,amdgpu,nvidia,bundle,offload,bitcode}
cd "$work"

# What clang needs to find in place of CUDA, and what programs are linked with in place of the run-time libraries.
mkdir -p cuda/bin cuda/include cuda/lib64 cuda/nvvm/libdevice stub
ln -s "$CUDA13"/bin/ptxas cuda/bin/
# clang 16 and 19 still speak to fatbinary as it was before CUDA 13.
cat >cuda/bin/fatbinary <<EOF
#!/bin/bash
exec "$CUDA13/bin/fatbinary" "\${@//--image=profile=sm_/--image3=kind=elf,sm=}"
EOF
chmod +x cuda/bin/fatbinary
echo 'define void @unused() { ret void }' | clang-16 -target nvptx64-nvidia-cuda -x ir - -emit-llvm -c -o cuda/nvvm/libdevice/libdevice.10.bc 2>/dev/null
for lib in omp omptarget omptarget.devicertl; do gcc -shared -nostdlib -x c /dev/null -o stub/lib$lib.so; done

gpu="-O2 -nogpuinc -nogpulib"
echo "bitcode" >&2
for v in $versions; do
	clang-$v -target x86_64-apple-macosx11 -O1 -c -emit-llvm host.c -o "$here"/bitcode/wrapped.clang$v.bc
	clang-$v -O1 -fembed-bitcode=all -c host.c -o "$here"/elf/llvmbc.clang$v.o
done
clang-22 -O1 -ffat-lto-objects -flto -c host.c -o "$here"/elf/fatlto.clang22.o
gcc -O1 -c host.c -o "$here"/elf/plain.gcc.o

echo "AMDGPU code objects" >&2
object() { # clang, target ID, code object version
	clang-$1 -x hip --offload-arch=$2 --cuda-device-only --no-gpu-bundle-output -mcode-object-version=$3 $gpu \
		--ld-path=ld.lld-$1 -Xoffload-linker -s -Wno-unused-command-line-argument kernels.hip -o "$here"/amdgpu/${2//:/_}.v$3.clang$1.co
}
object 16 gfx900 4
object 16 gfx90a:xnack+ 5
object 16 gfx1100 5
object 19 gfx90a:sramecc-:xnack- 4
object 19 gfx942 5
object 19 gfx1100 6
object 22 gfx900 4
object 22 gfx942 6
object 22 gfx9-generic 6
object 22 gfx1100 5
clang-22 -x hip --offload-arch=gfx90a --cuda-device-only --no-gpu-bundle-output $gpu -fgpu-rdc -c kernels.hip -o "$here"/bitcode/rdc.clang22.bc

# What Proteus makes of a device binary: the module's bitcode in a section of its own.
llvm-objcopy-22 --add-section .jit.bitcode.tu.0123.4567="$here"/bitcode/rdc.clang22.bc \
	"$here"/amdgpu/gfx900.v4.clang22.co "$here"/elf/jit.objcopy22.co

echo "offload bundles" >&2
a="$here"/amdgpu/gfx900.v4.clang22.co b="$here"/amdgpu/gfx1100.v5.clang22.co
: >empty
ids=host-x86_64-unknown-linux-gnu-,hipv4-amdgcn-amd-amdhsa--gfx900:xnack-,hipv4-amdgcn-amd-amdhsa--gfx1100
for v in $versions; do
	clang-offload-bundler-$v -type=o -bundle-align=64 -targets=$ids -input=empty -input="$a" -input="$b" \
		-output="$here"/bundle/plain.bundler$v.hipfb
	# An object whose images lie in sections named after them.
	clang-$v -c host.c -o host.o
	clang-offload-bundler-$v -type=o -targets=host-x86_64-unknown-linux-gnu,hip-amdgcn-amd-amdhsa--gfx900 \
		-input=host.o -input="$a" -output="$here"/elf/bundled.bundler$v.o
done
# Each writes the newest version it has.
for v in 19 22; do
	clang-offload-bundler-$v -compress -type=o -targets=$ids -input=empty -input="$a" -input="$b" \
		-output="$here"/bundle/zstd.bundler$v.hipfb
done
COMPRESSED_BUNDLE_FORMAT_VERSION=2 clang-offload-bundler-22 -compress -type=o -targets=$ids -input=empty -input="$a" -input="$b" \
	-output="$here"/bundle/zstd2.bundler22.hipfb

echo "PTX, cubins, CUDA fat binaries" >&2
for v in $versions; do
	clang-$v -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib --cuda-feature=+ptx75 -O2 -S kernels.cu \
		-o "$here"/nvidia/kernels.clang$v.ptx
done
ptx="$here"/nvidia/kernels.clang22.ptx
retarget() { sed "s/^\.version .*/.version $1/; s/^\.target .*/.target $2/" "$ptx" >$2.ptx; }
cubin() { # CUDA folder, its version, PTX version, processor
	retarget $3 $4
	"$1"/bin/ptxas -arch=$4 $4.ptx -o "$here"/nvidia/$4.ptxas$2.cubin
}
cubin "$CUDA11" 11.8 7.8 sm_80
cubin "$CUDA11" 11.8 7.8 sm_75
cubin "$CUDA12" 12.9 8.8 sm_90a
cubin "$CUDA12" 12.9 8.8 sm_120a
cubin "$CUDA13" 13.0 9.0 sm_80
cubin "$CUDA13" 13.0 9.0 sm_90a
cubin "$CUDA13" 13.0 9.0 sm_100f
"$CUDA13"/bin/ptxas -arch=sm_90 big.ptx -o "$here"/nvidia/big.ptxas13.0.cubin
# A cubin that carries the bitcode of its kernels as a variable.
bitcode="$here"/bitcode/kernels.clang22.bc
clang-22 -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib --cuda-feature=+ptx75 -O2 -emit-llvm -c kernels.cu -o $bitcode
retarget 9.0 sm_90
{
	cat sm_90.ptx
	echo ".visible .global .align 16 .b8 kernels_bitcode[$(stat -c %s $bitcode)] = {"
	od -An -v -tu1 $bitcode | sed 's/^ *//; s/  */, /g; $!s/$/,/'
	echo "};"
} >carrier.ptx
"$CUDA13"/bin/ptxas -arch=sm_90 carrier.ptx -o "$here"/nvidia/carrier.ptxas13.0.cubin
fat() { # name, options
	"$CUDA13"/bin/fatbinary --64 --create="$here"/nvidia/$1.fatbinary13.0.fatbin "${@:2}" \
		--image3=kind=elf,sm=80,file="$here"/nvidia/sm_80.ptxas13.0.cubin \
		--image3=kind=elf,sm=90a,file="$here"/nvidia/sm_90a.ptxas12.9.cubin \
		--image3=kind=ptx,sm=80,file="$ptx"
}
fat plain --compress=false
fat speed --compress-all --compress-mode=speed --ident=kernels.cu
fat size --compress-all --compress-mode=size --cmdline="-O3 -v"
"$CUDA13"/bin/fatbinary --64 --create="$here"/nvidia/family.fatbinary13.0.fatbin --compress=false \
	--image3=kind=elf,sm=100f,file="$here"/nvidia/sm_100f.ptxas13.0.cubin --image3=kind=ptx,sm=100f,file=sm_100f.ptx
nvcc() { PATH="$CUDA13"/bin:$PATH "$CUDA13"/bin/nvcc -O1 -std=c++17 nvcc.cu "$@"; }
PATH="$CUDA13"/bin:$PATH "$CUDA13"/bin/nvcc -std=c++17 -arch=sm_80 -rdc=true -cubin callee.cu -o "$here"/nvidia/callee.nvcc13.0.cubin
nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=compute_90 -c -o "$here"/elf/cuda.nvcc13.0.o
nvcc -gencode arch=compute_80,code=sm_80 -rdc=true -c -o "$here"/elf/rdc.nvcc13.0.o
nvcc -gencode arch=compute_80,code=lto_80 -rdc=true -c -o "$here"/elf/lto.nvcc13.0.o
nvcc -no-compress -gencode arch=compute_80,code=lto_80 -rdc=true -c -o "$here"/elf/ltoplain.nvcc13.0.o
nvcc -gencode arch=compute_80,code=sm_80 -Xcompiler -fPIC -c -o pic.o
gcc -shared -nostdlib pic.o -o "$here"/elf/cuda.nvcc13.0.so

echo "objects and programs" >&2
for v in $versions; do
	clang-$v -x cuda --cuda-gpu-arch=sm_80 --cuda-path=cuda -nocudainc -nocudalib --cuda-feature=+ptx75 -O2 -Wno-unknown-cuda-version \
		--no-cuda-include-ptx=all -c kernels.cu -o "$here"/elf/cuda.clang$v.o
	clang-$v -x hip --offload-arch=gfx900 --offload-arch=gfx1100 $gpu --ld-path=ld.lld-$v -c kernels.hip -o "$here"/elf/hip.clang$v.o
	lld=
	[ $v = 22 ] && lld=-Wl,--device-compiler=-fuse-ld=lld
	clang-$v -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -c region.c -o "$here"/elf/openmp.clang$v.o
	clang-$v -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -fopenmp-target-jit -L stub -Wl,--unresolved-symbols=ignore-all \
		$lld --ld-path=ld.lld-$v region.c -o "$here"/elf/openmp.clang$v.exe
done
clang-22 -O1 -fopenmp --offload-arch=gfx90a -fopenmp-target-jit -nogpulib -L stub -no-pie -Wl,--unresolved-symbols=ignore-all \
	-fuse-ld=lld region.c -o "$here"/elf/openmp-gpu.clang22.exe
# Another machine's object, and what its linker makes of the table of entries.
clang-22 --target=aarch64-linux-gnu -O1 -fPIC -fopenmp --offload-arch=gfx90a -fopenmp-target-jit -nogpulib -nogpuinc -c region.c \
	-o "$here"/elf/openmp-aarch64.clang22.o
ld.lld-22 -shared "$here"/elf/openmp-aarch64.clang22.o -o "$here"/elf/openmp-aarch64.lld22.so
clang-22 -x hip --offload-arch=gfx900 $gpu -fuse-ld=lld --offload-compress -fPIC -c kernels.hip -o hip.o
ld.lld-22 -shared hip.o -o "$here"/elf/hip-compressed.clang22.so
clang-22 -x hip --offload-arch=gfx90a $gpu -fgpu-rdc --offload-new-driver -c kernels.hip -o "$here"/elf/hip-rdc.clang22.o

echo "offload binaries" >&2
packager() { # command, name
	$1 -o "$here"/offload/$2 \
		--image=file="$a",triple=amdgcn-amd-amdhsa,arch=gfx900:xnack-,kind=hip \
		--image=file="$here"/nvidia/sm_80.ptxas13.0.cubin,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=cuda \
		--image=file="$here"/bitcode/rdc.clang22.bc,triple=amdgcn-amd-amdhsa,arch=gfx90a,kind=openmp,feature=none
}
for v in $versions; do packager clang-offload-packager-$v packager$v.bin; done
packager llvm-offload-binary-22 offload-binary22.bin
chmod 644 "$here"/*/*.*
chmod 755 "$here"/make.sh
du -cb "$here"/*/* | tail -1 >&2
