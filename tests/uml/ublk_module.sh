#!/bin/bash
# Debian's user-mode Linux has no ublk: builds its module out of the source of that kernel, as
# build/tools/ublk_drv-VERSION.ko. Some minutes, once. Exit status 77: the source cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(linux.uml --version)
module=$PWD/build/tools/ublk_drv-$version.ko
[ ! -e "$module" ] || exit 0
mkdir -p build/tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
apt-get download "linux-source-${version%.*}=$version-1" >log 2>&1 ||
  { echo "skipped: linux-source-${version%.*} $version-1 cannot be downloaded"; exit 77; }
mkdir source
unneeded=()
for folder in samples sound rust Documentation tools/testing 'arch/[!ux]*' drivers/{clk,gpu,iio,infiniband,media,mtd,net,scsi,usb,video}; do
  unneeded+=(--exclude="*/$folder/*.[chS]" --exclude="*/$folder/*.dts*" --exclude="*/$folder/*.rst")
done
dpkg-deb --fsys-tarfile linux-source-*.deb | tar -xO "./usr/src/linux-source-${version%.*}.tar.xz" |
  tar -xJ -C source --strip-components=1 "${unneeded[@]}"
cd source
linux.uml --showconfig |
  sed 's/^# CONFIG_BLK_DEV_UBLK.*/CONFIG_BLK_DEV_UBLK=m/; s/^CONFIG_LOCALVERSION_AUTO.*//' >.config
mkdir ublk
cp drivers/block/ublk_drv.c ublk
echo 'obj-m += ublk_drv.o' >ublk/Makefile
{ make ARCH=um olddefconfig && nice make ARCH=um modules_prepare &&
  make ARCH=um KBUILD_MODPOST_WARN=1 M=ublk modules; } >log 2>&1 || { tail -n 5 log >&2; exit 1; }
cp ublk/ublk_drv.ko "$module"
