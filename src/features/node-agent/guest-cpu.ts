import type { CPU } from '#api/kubevirt/v1/domain/cpu.ts'
import type { FeatureHyperv, Features } from '#api/kubevirt/v1/domain/features.ts'
import type { Cpu } from '#qemu/index.ts'
import type { Host } from './host.ts'

/** CPU model that stands in for the host's under emulation: fast, and the same in every QEMU release. */
const emulatedModel = 'qemu64'

/** Model, flags and layout of the guest's CPUs. */
export function guestCpuOf(cpu: CPU | undefined, features: Features | undefined, host: Host): Cpu {
  return {
    model: modelOf(cpu?.model ?? '', host),
    flags: [...(cpu?.features ?? []).map(flagOf), ...hypervFlags(features?.hyperv), ...kvmFlags(features)],
    sockets: cpu?.sockets || 1,
    cores: cpu?.cores || 1,
    threads: cpu?.threads || 1,
    ...(cpu?.maxSockets === undefined ? {} : { maxSockets: cpu.maxSockets }),
  }
}

function modelOf(model: string, host: Host): string {
  if (model !== '' && model !== 'host-model' && model !== 'host-passthrough') return model
  return host.accelerator === 'kvm' ? 'host' : emulatedModel
}

function flagOf({ name, policy }: { readonly name: string; readonly policy?: string }): string {
  return policy === 'disable' || policy === 'forbid' ? `${name}=off` : `${name}=on`
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

function hypervFlags(hyperv: FeatureHyperv | undefined): string[] {
  if (hyperv === undefined) return []
  const flags = hypervNames.flatMap(([feature, flag]) => (isOn(hyperv[feature]) ? [`${flag}=on`] : []))
  if (isOn(hyperv.spinlocks)) flags.push(`hv-spinlocks=${hyperv.spinlocks?.spinlocks ?? 4096}`)
  if (isOn(hyperv.vendorid)) flags.push(`hv-vendor-id=${hyperv.vendorid?.vendorid ?? ''}`)
  if (isOn(hyperv.synictimer) && isOn(hyperv.synictimer?.direct)) flags.push('hv-stimer-direct=on')
  return flags
}

function kvmFlags(features: Features | undefined): string[] {
  return [
    ...(features?.kvm?.hidden === true ? ['kvm=off'] : []),
    ...(features?.pvspinlock?.enabled === false ? ['kvm-pv-unhalt=off'] : []),
    ...(features?.apic?.enabled === false ? ['apic=off'] : []),
  ]
}

/** A feature that is mentioned is on unless it says otherwise. */
function isOn(state: { readonly enabled?: boolean } | undefined): boolean {
  return state !== undefined && state.enabled !== false
}
