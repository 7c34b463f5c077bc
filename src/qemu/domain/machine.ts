import type { Clock, Domain } from './domain.ts'
import { pluggableBytes } from './hotplug-room.ts'

/**
 * Bounds of the translation cache of TCG in MiB. The default of QEMU grows to hundreds of MiB a
 * guest. For a kernel with few programs, 16 costs no measurable time, and 8 doubles the boot. The
 * first boot of Debian with cloud-init fills 16 a thousand times, and takes twice as long as with
 * 64.
 */
const translationCache = { least: 16, most: 128, shareOfMemory: 1 / 8 } as const
const oneThread = 'thread=single'

/** Machine, accelerator, memory, clock and identity. */
export function machineArguments(domain: Domain): string[] {
  const { machine, memory, clock } = domain
  const hugepages = memory.hugepageBytes
  const properties = [
    machine.type,
    'usb=off',
    'vmport=off',
    'dump-guest-core=off',
    ...(machine.acpi ? [] : ['acpi=off']),
    ...(machine.smm ? ['smm=on'] : []),
    ...(clock.hpet ? [] : ['hpet=off']),
    ...(clock.pit ? [] : ['pit=off']),
    ...(hugepages === undefined ? [] : ['memory-backend=ram0']),
  ]
  return [
    '-machine',
    properties.join(','),
    '-accel',
    acceleratorOption(domain),
    '-m',
    `size=${Math.ceil(memory.bytes / 1024)}k${pluggableBytes(memory) > 0 ? `,maxmem=${Math.ceil((memory.maxBytes ?? 0) / 1024)}k` : ''}`,
    ...(hugepages === undefined
      ? []
      : ['-object', `memory-backend-memfd,id=ram0,size=${memory.bytes},hugetlb=on,hugetlbsize=${hugepages},share=on`]),
    '-rtc',
    clockOption(clock),
    ...(clock.missedPitTicks === undefined ? [] : ['-global', `kvm-pit.lost_tick_policy=${clock.missedPitTicks}`]),
    '-uuid',
    domain.uuid,
    ...smbiosArguments(1, domain.smbios.system),
    ...smbiosArguments(3, domain.smbios.chassis),
  ]
}

/**
 * Of emulated processors with a thread each, one that is plugged in finds no place in the
 * translation cache when the others have filled it, and QEMU aborts (`tcg_region_initial_alloc`).
 * Guests that start with one lose nothing by sharing a thread; those with several would.
 */
function acceleratorOption({ machine, cpu, memory }: Domain): string {
  if (machine.accelerator === 'kvm') return 'kvm'
  const grows = cpu.sockets * cpu.cores * cpu.threads === 1 && (cpu.maxSockets ?? 1) > 1
  return `tcg,tb-size=${translationCacheMib(memory)}${grows ? `,${oneThread}` : ''}`
}

/** In proportion to the guest, as larger ones run more programs. */
function translationCacheMib({ bytes, isLimited }: Domain['memory']): number {
  const { least, most, shareOfMemory } = translationCache
  return isLimited === true ? least : Math.min(most, Math.max(least, Math.floor((bytes * shareOfMemory) / 2 ** 20)))
}

/** Reports whether CPUs can be hotplugged into a guest with this command line. */
export function takesProcessors(args: readonly string[]): boolean {
  const accelerator = args[args.indexOf('-accel') + 1] ?? ''
  return !accelerator.startsWith('tcg') || accelerator.split(',').includes(oneThread)
}

function clockOption({ base, follows, catchUp }: Clock): string {
  const clock = follows === undefined ? '' : `,clock=${follows === 'guest' ? 'vm' : 'host'}`
  return `base=${base}${clock}${catchUp === true ? ',driftfix=slew' : ''}`
}

function smbiosArguments(type: number, table: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(table).map(([name, value]) => `${name}=${value.replaceAll(',', ',,')}`)
  return values.length === 0 ? [] : ['-smbios', `type=${type},${values.join(',')}`]
}
