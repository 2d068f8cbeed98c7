#!/bin/sh
# Cleans up after a test process, however it ended: its standard input is a pipe that only the test process writes to.
# $1: the folder with all data folders, sockets and logs. Every process that has to end has its working folder there.
trap '' INT TERM HUP
root=$1
cat >/dev/null

inside() {
  find /proc -mindepth 2 -maxdepth 2 -name cwd -lname "$root/*" 2>/dev/null | cut -d/ -f3
}

# An immediate stop removes the shared memory, too.
for process in $(inside); do kill -QUIT "$process" 2>/dev/null; done
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ -z "$(inside)" ] && break
  sleep 0.1
done
for process in $(inside); do kill -KILL "$process" 2>/dev/null; done

# A server that was killed leaves a segment of shared memory; its number is in line 7 of this file.
for file in "$root"/*/data/postmaster.pid; do
  [ -f "$file" ] && ipcrm -m "$(sed -n '7s/.* //p' "$file")" 2>/dev/null
done
while read -r _ folder _; do
  case $folder in "$root"/*) umount -l "$folder" ;; esac
done </proc/mounts
rm -rf "$root"
