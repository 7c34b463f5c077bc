import type { CPU } from '#api/kubevirt/v1/domain/cpu.ts'
import type { FeatureHyperv, Features } from '#api/kubevirt/v1/domain/features.ts'
import type { Timer } from '#api/kubevirt/v1/domain/clock.ts'
import type { Cpu } from '#qemu/index.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'
import type { Host } from '../node/host.ts'

/** CPU model under emulation. TCG emulates it fast, and it is the same in every QEMU release. */
const emulatedModel = 'qemu64'
/** Limit of vCPUs without an IOMMU with interrupt remapping, which guests here do not get. */
const maxVcpus = 255

/** Fields of the VMI that determine the CPU. */
export interface CpuRequest {
  readonly cpu?: CPU
  readonly features?: Features
  readonly timer?: Timer
}

/** Returns model, flags and topology of the guest's CPUs. @throws UnsupportedGuest */
export function guestCpuOf({ cpu, features, timer }: CpuRequest, host: Host): Cpu {
  const layout = { sockets: cpu?.sockets || 1, cores: cpu?.cores || 1, threads: cpu?.threads || 1 }
  const perSocket = layout.cores * layout.threads
  if (layout.sockets * perSocket > maxVcpus) {
    throw new UnsupportedGuest(`a guest can have ${maxVcpus} CPUs here, and asks for ${layout.sockets * perSocket}`)
  }
  const model = modelOf(cpu?.model ?? '', host)
  return {
    model,
    flags: [
      ...siblingFlags(model, layout.threads),
      ...(cpu?.features ?? []).flatMap((feature) => flagsOf(feature, host)),
      ...(host.accelerator === 'kvm' ? paravirtualFlags(features, timer) : []),
      ...(features?.apic?.enabled === false ? ['apic=off'] : []),
    ],
    ...layout,
    ...(cpu?.maxSockets === undefined ? {} : { maxSockets: Math.min(cpu.maxSockets, Math.floor(maxVcpus / perSocket)) }),
  }
}

function modelOf(model: string, host: Host): string {
  if (model === '' || model === 'host-model' || model === 'host-passthrough') return host.accelerator === 'kvm' ? 'host' : emulatedModel
  if (host.cpuModels.includes(model)) return model
  const how = host.accelerator === 'kvm' ? 'the CPU of this node' : 'emulation, which is all that this node has,'
  throw new UnsupportedGuest(`CPU model "${model}" needs what ${how} cannot do; it can do ${host.cpuModels.join(', ')}`)
}

/** Selects Intel as vendor: of AMD's models, only much newer ones report threads. */
function siblingFlags(model: string, threads: number): string[] {
  return threads > 1 && model === emulatedModel ? ['vendor=GenuineIntel'] : []
}

function flagsOf({ name, policy = 'require' }: { readonly name: string; readonly policy?: string }, host: Host): string[] {
  const isPossible = host.cpuFeatures.includes(name) || host.cpuFeatures.includes(name.replaceAll('_', '-'))
  // A feature that this node lacks is off anyway, and QEMU exits on an unknown name.
  if (policy === 'disable' || policy === 'forbid') return isPossible ? [`${name}=off`] : []
  if (isPossible) return [`${name}=on`]
  if (policy === 'optional') return []
  throw new UnsupportedGuest(`CPU feature "${name}" cannot be had on this node: make it optional, or use a node that has it`)
}

const hypervNames: readonly (readonly [keyof FeatureHyperv, string])[] = [
  ['relaxed', 'hv-relaxed'],
  ['vapic', 'hv-vapic'],
  ['vpindex', 'hv-vpindex'],
  ['runtime', 'hv-runtime'],
  ['synic', 'hv-synic'],
  ['synictimer', 'hv-stimer'],
  ['reset', 'hv-reset'],
  ['frequencies', 'hv-frequencies'],
  ['reenlightenment', 'hv-reenlightenment'],
  ['tlbflush', 'hv-tlbflush'],
  ['ipi', 'hv-ipi'],
  ['evmcs', 'hv-evmcs'],
]

/** Flags that need KVM. `unsupportedFeatures()` reports them for guests without it. */
function paravirtualFlags(features: Features | undefined, timer: Timer | undefined): string[] {
  return [
    ...hypervFlags(features?.hyperv),
    ...(isOn(timer?.hyperv, 'present') ? ['hv-time=on'] : []),
    ...(timer?.kvm?.present === false ? ['kvmclock=off'] : []),
    ...(features?.kvm?.hidden === true ? ['kvm=off'] : []),
    ...(features?.pvspinlock?.enabled === false ? ['kvm-pv-unhalt=off'] : []),
    ...(features?.apic?.endOfInterrupt === true ? ['kvm-pv-eoi=on'] : []),
  ]
}

function hypervFlags(hyperv: FeatureHyperv | undefined): string[] {
  if (hyperv === undefined) return []
  const flags = hypervNames.flatMap(([feature, flag]) => (isOn(hyperv[feature]) ? [`${flag}=on`] : []))
  if (isOn(hyperv.spinlocks)) flags.push(`hv-spinlocks=${hyperv.spinlocks?.spinlocks ?? 4096}`)
  // A comma would start another flag.
  if (isOn(hyperv.vendorid)) flags.push(`hv-vendor-id=${hyperv.vendorid?.vendorid?.replaceAll(',', '') ?? ''}`)
  if (isOn(hyperv.synictimer) && isOn(hyperv.synictimer?.direct)) flags.push('hv-stimer-direct=on')
  return flags
}

/** Reports whether a feature or timer is on. One that is present is on unless it says otherwise. */
export function isOn(state: object | undefined, word: 'enabled' | 'present' = 'enabled'): boolean {
  return state !== undefined && (state as Readonly<Record<string, unknown>>)[word] !== false
}
