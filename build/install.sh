#!/bin/sh
# Installs runtime for the user who runs it, from a folder or an address with the files of a release, and removes it.
# Everything is in functions, and the last line calls them: a copy that was cut off does nothing.
set -eu

version="@VERSION@"

usage() {
  cat <<END
Installs runtime $version.

  sh install.sh --from DIR          from a folder with the files of the release; needs no network
  sh install.sh --base ADDRESS      from an address below which the files are (or set INSTALL_BASE)
  sh install.sh --uninstall         removes what was installed; data and configuration stay

  --prefix DIR     install below DIR; by default $HOME/.local
  --target NAME    install for this system instead of the one that was found out, for example linux-x64-musl
END
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

main() {
  umask 022
  from='' base="${INSTALL_BASE:-}" prefix='' target='' action=install
  read_options "$@"
  if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail 'HOME is not set: name a folder with --prefix DIR.'
    prefix="$HOME/.local"
  fi
  case $prefix in
    /*) ;;
    *) prefix="$(pwd)/$prefix" ;;
  esac
  files="bin/runtime share/bash-completion/completions/runtime share/zsh/site-functions/_runtime
    share/fish/vendor_completions.d/runtime.fish share/man/man1/runtime.1 share/doc/runtime/LICENSES.txt share/doc/runtime/README.md"
  if [ "$action" = uninstall ]; then uninstall; else install_release; fi
}

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --base | --prefix | --target)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail "$1 needs a value."; fi
        ;;
    esac
    case $1 in
      --from) from=$2 && shift 2 ;;
      --base) base=$2 && shift 2 ;;
      --prefix) prefix=$2 && shift 2 ;;
      --target) target=$2 && shift 2 ;;
      --uninstall) action=uninstall && shift ;;
      -h | --help) usage && exit 0 ;;
      *) fail "Unknown option $1. See: sh install.sh --help" ;;
    esac
  done
}

install_release() {
  check_source
  [ -n "$target" ] || find_target
  check_target
  archive="runtime-$version-$target.tar.gz"
  check_prefix
  work=$(mktemp -d 2>/dev/null || mktemp -d "$prefix/.runtime.XXXXXX") || fail 'A temporary folder cannot be made: set TMPDIR to a folder that you can write to.'
  new="$prefix/bin/.runtime.new.$$"
  trap 'rm -rf "$work" "$new"' EXIT
  trap 'exit 130' HUP INT TERM
  get SHA256SUMS
  get "$archive"
  verify
  unpack
  put_in_place
}

check_source() {
  if [ -n "$from" ]; then
    [ -d "$from" ] || fail "$from is not a folder. --from names the folder with the files of the release."
    return
  fi
  case $base in
    '') fail 'Say where the files of the release are: --from DIR, or --base ADDRESS (or INSTALL_BASE).' ;;
    https://*) ;;
    http://*@*) refuse_address ;;
    http://127.0.0.1[:/]* | http://localhost[:/]* | http://\[::1\][:/]*) ;;
    *) refuse_address ;;
  esac
}

# Not repeated in messages: an address may contain a password.
refuse_address() {
  fail 'The address does not start with https://. Others protect neither the files nor their sums.'
}

find_target() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "There is no executable for $(uname -s): Linux and macOS are supported." ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "There is no executable for the processor $(uname -m): x86_64 and aarch64 are supported." ;;
  esac
  # A shell that macOS translates for Apple's processors says x86_64.
  if [ "$os" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || :)" = 1 ]; then arch=arm64; fi
  target="$os-$arch"
  if [ "$os" = linux ] && uses_musl; then target="$target-musl"; fi
}

uses_musl() {
  if command -v ldd >/dev/null 2>&1; then
    case $(ldd --version 2>&1 || :) in
      *musl*) return 0 ;;
      *) return 1 ;;
    esac
  fi
  for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
    if [ -e "$loader" ]; then return 1; fi
  done
  return 0
}

check_target() {
  case $target in
    linux-x64 | linux-arm64 | linux-x64-musl | linux-arm64-musl | darwin-arm64 | darwin-x64) ;;
    *) fail "There is no executable for $target." ;;
  esac
}

# Before anything is downloaded.
check_prefix() {
  mkdir -p "$prefix/bin" 2>/dev/null || :
  [ -w "$prefix/bin" ] || fail "You cannot write to $prefix/bin: choose another folder with --prefix DIR."
  [ ! -d "$prefix/bin/runtime" ] || fail "$prefix/bin/runtime is a folder: choose another one with --prefix DIR."
}

# A file of the release → the working folder.
get() {
  if [ -n "$from" ]; then
    [ -f "$from/$1" ] || fail "$from has no $1."
    cp "$from/$1" "$work/$1"
  elif command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --proto-redir =https --output "$work/$1" "${base%/}/$1" ||
      fail "$1 was not downloaded completely."
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --output-document="$work/$1" "${base%/}/$1" || fail "$1 was not downloaded completely."
  else
    fail 'Neither curl nor wget is installed: download the files yourself and name their folder with --from DIR.'
  fi
}

verify() {
  expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ "${#expected}" -eq 64 ] || fail "SHA256SUMS does not have exactly one sum of $archive."
  if command -v sha256sum >/dev/null 2>&1; then
    found=$(sha256sum "$work/$archive")
  elif command -v shasum >/dev/null 2>&1; then
    found=$(shasum -a 256 "$work/$archive")
  elif command -v openssl >/dev/null 2>&1; then
    found=$(openssl dgst -sha256 -r "$work/$archive")
  else
    fail 'The sum cannot be checked: install sha256sum, shasum or openssl.'
  fi
  [ "${found%% *}" = "$expected" ] ||
    fail "$archive is not the file of the release: its SHA-256 is ${found%% *}, and SHA256SUMS says $expected. Nothing was installed."
}

unpack() {
  tar -xzf "$work/$archive" -C "$work" || fail "$archive cannot be unpacked."
  content="$work/${archive%.tar.gz}"
  cp "$content/runtime" "$new"
  chmod 755 "$new"
  # Started before it replaces the version that is installed.
  said=$("$new" --version 2>&1) || :
  if [ "$said" != "$version" ]; then
    [ "${target%-*}" != darwin ] || printf 'macOS needs a signature; see README.md in %s.\n' "$archive" >&2
    fail "The executable for $target does not start here: $said"
  fi
}

put_in_place() {
  put completions/runtime.bash share/bash-completion/completions/runtime
  put completions/_runtime share/zsh/site-functions/_runtime
  put completions/runtime.fish share/fish/vendor_completions.d/runtime.fish
  put man/runtime.1 share/man/man1/runtime.1
  put LICENSES.txt share/doc/runtime/LICENSES.txt
  put README.md share/doc/runtime/README.md
  # In one step, so that a command that starts now finds the old one or the new one.
  mv -f "$new" "$prefix/bin/runtime"
  printf 'runtime %s is installed: %s\n' "$version" "$prefix/bin/runtime"
  case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *) printf '%s is not in PATH. Add it in the profile of your shell.\n' "$prefix/bin" ;;
  esac
}

put() {
  mkdir -p "$prefix/${2%/*}"
  cp -f "$content/$1" "$prefix/$2"
}

uninstall() {
  for file in $files; do
    rm -f "$prefix/$file" || fail "$prefix/$file cannot be removed."
  done
  # Those that are not empty belong to other programs, too.
  for folder in bash-completion/completions bash-completion zsh/site-functions zsh fish/vendor_completions.d fish man/man1 man doc/runtime; do
    rmdir "$prefix/share/$folder" 2>/dev/null || :
  done
  printf 'runtime is not installed in %s any more. Data and configuration were left as they are.\n' "$prefix"
}

main "$@"
