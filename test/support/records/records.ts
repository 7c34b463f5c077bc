import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/** A record is eight lines of a sector each, so that one that is written in part is noticed. */
const sectorBytes = 512
const sectorsPerRecord = 8
const recordBytes = sectorBytes * sectorsPerRecord
/** Records overwrite each other in a ring at the start of the disk. */
const slots = 256
const ringBytes = slots * recordBytes
const checksum = { number: 48_271, line: 69_621, more: 12_345, modulus: 2_147_483_647 } as const

/** Serial numbers of the disks with records, by which the guest finds them. */
export const recordSerials = ['one', 'two'] as const

/** What the ring of a disk holds. */
export interface FoundRecords {
  /** Number of the last complete record; 0 without any. */
  readonly last: number
  /** Digest of the ring. */
  readonly digest: string
  /** What no guest could have left that writes one record after the other; none: all is well. */
  readonly damage: readonly string[]
}

/** Reads the records from an image in the format raw. `disk`: number of the disk in its guest. */
export async function readRecords(path: string, disk: number): Promise<FoundRecords> {
  await using file = await open(path, 'r')
  const ring = Buffer.alloc(ringBytes)
  await file.read(ring, 0, ringBytes, 0)
  return recordsOf(ring, disk)
}

/** Finds the records of a ring. Pure. */
export function recordsOf(ring: Buffer, disk: number): FoundRecords {
  const found = Array.from({ length: slots }, (_, slot) => recordAt(ring.subarray(slot * recordBytes, (slot + 1) * recordBytes), disk))
  const complete = found.flatMap((one, slot) => (typeof one === 'number' && one > 0 && one % slots === slot ? [one] : []))
  const last = Math.max(0, ...complete)
  const damage = found.flatMap((one, slot) => {
    const wanted = newestOf(slot, last)
    // A guest that ended while it wrote the next record has left a part of it.
    if (one === wanted || slot === (last + 1) % slots) return []
    return [`slot ${slot} has ${typeof one === 'number' ? `record ${one}` : one} instead of record ${wanted} (the last one is ${last})`]
  })
  return { last, digest: createHash('sha256').update(ring).digest('hex'), damage }
}

/** Number of the newest record of a slot when `last` was written last; 0: none yet. */
function newestOf(slot: number, last: number): number {
  const newest = last - ((last - slot + slots) % slots)
  return Math.max(0, newest)
}

/** Returns the number of a complete record, 0 for zeros, or what else is there. */
function recordAt(bytes: Buffer, disk: number): number | string {
  if (bytes.every((byte) => byte === 0)) return 0
  const numbers = Array.from({ length: sectorsPerRecord }, (_, line) => {
    const [word, on, number, at, sum] = bytes
      .toString('latin1', line * sectorBytes, (line + 1) * sectorBytes)
      .trim()
      .split(' ')
    const isWhole = word === 'rec' && on === String(disk) && at === String(line) && sum === String(sumOf(Number(number), disk, line))
    return isWhole ? Number(number) : Number.NaN
  })
  const [first = Number.NaN] = numbers
  return numbers.every((number) => number === first) ? first : `a mixture of [${numbers.join()}]`
}

/** Returns the ring of a disk to which a guest has written so many records. Pure. */
export function ringOf(last: number, disk: number): Buffer {
  const ring = Buffer.alloc(ringBytes)
  for (let number = Math.max(1, last - slots + 1); number <= last; number++)
    for (let line = 0; line < sectorsPerRecord; line++) {
      const at = (number % slots) * recordBytes + line * sectorBytes
      ring.write(`rec ${disk} ${number} ${line} ${sumOf(number, disk, line)}`.padEnd(sectorBytes - 1) + '\n', at, 'latin1')
    }
  return ring
}

function sumOf(number: number, disk: number, line: number): number {
  return (number * checksum.number + (line + sectorsPerRecord * disk) * checksum.line + checksum.more) % checksum.modulus
}

/**
 * Script of a guest that writes a record to the two disks of {@link recordSerials}, one after the
 * other, each with a flush, and then acknowledges it on the serial console. Continues after the
 * last record that both disks have. Tells the sizes of all disks once a second, and writes a record
 * to each disk that is plugged in.
 */
export const writerScript = String.raw`#!/bin/sh
exec 2>/dev/null
sum() { sum=$((($1 * ${checksum.number} + ($3 + ${sectorsPerRecord} * $2) * ${checksum.line} + ${checksum.more}) % ${checksum.modulus})); }
record() {
  number=$1 on=$2 line=0
  set --
  while [ $line -lt ${sectorsPerRecord} ]; do
    sum $number $on $line
    set -- "$@" "rec $on $number $line $sum"
    line=$((line + 1))
  done
  printf '%-511s\n' "$@"
}
put() { record $1 $2 | dd of=/dev/$3 bs=${recordBytes} count=1 seek=$(($1 % ${slots})) iflag=fullblock conv=notrunc,fsync $4; }
found() {
  dd if=/dev/$1 bs=64k count=${ringBytes / 65_536} | tr -d '\000' | awk -v d=$2 '
    $1 == "rec" && $2 == d && $5 == ($3 * ${checksum.number} + ($4 + ${sectorsPerRecord} * d) * ${checksum.line} + ${checksum.more}) % ${checksum.modulus} { lines[$3]++ }
    END { for (n in lines) if (lines[n] == ${sectorsPerRecord}) { all++; if (n + 0 > last) last = n + 0 } print last + 0, all + 0 }'
}
say() { echo "~$* ~" >/dev/ttyS0; }

watch_disks() {
  seen=' '
  while :; do
    disks=
    for disk in /sys/block/vd*; do
      read -r size <$disk/size
      serial=
      read -r serial <$disk/serial
      disks="$disks \${disk##*/}:$size:$serial"
      case $serial in
        plug*) case $seen in
          *" $serial "*) ;;
          *) put 1 2 \${disk##*/} && seen="$seen$serial " && say plugged $serial ;;
        esac ;;
      esac
    done
    say disks$disks
    sleep 1
  done
}

# Volumes that were plugged in before may come first among the disks.
device() {
  for disk in /sys/block/vd*; do
    serial=
    read -r serial <$disk/serial
    [ "$serial" = $1 ] && echo \${disk##*/}
  done
}
one= two=
until [ -n "$one" ] && [ -n "$two" ]; do sleep 1; one=$(device ${recordSerials[0]}) two=$(device ${recordSerials[1]}); done
read -r boot </proc/sys/kernel/random/boot_id
a=$(found $one 0) b=$(found $two 1)
say start $boot $a $b
watch_disks &
n=\${b% *}
[ \${a% *} -lt $n ] && n=\${a% *}
while :; do
  n=$((n + 1))
  until put $n 0 $one && put $n 1 $two oflag=direct; do say refused $n; sleep 1; done
  say ack $n $(((n * 7 + 3) % 1000))
  usleep 50000
done
`.replaceAll('\\${', '${')
