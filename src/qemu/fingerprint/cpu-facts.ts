import type { QmpConnection } from '../qmp/connection.ts'
import { readVcpus } from '../hotplug/vcpus.ts'
import { readProperties, type QomProperty } from './qom.ts'

/** Identity of a CPU besides its features. */
const identity: ReadonlySet<string> = new Set(
  'vendor family model stepping model-id level xlevel phys-bits tsc-frequency hv-vendor-id'.split(' '),
)

/** Properties that configure QEMU and are not guest-visible, and aliases of features. */
const notFeatures: ReadonlySet<string> = new Set(
  (
    'check enforce migratable realized hotplugged hotpluggable start-powered-off fill-mtrr-mask full-cpuid-auto-level legacy-multi-node ' +
    'kvm-no-smi-migration vmware-cpuid-freq i64 pni xd ds_cpl kvm_mmu'
  ).split(' '),
)

/** Model, features and places of the CPUs. */
export async function cpuFacts(qmp: QmpConnection): Promise<Record<string, string>> {
  const [[first], places] = await Promise.all([
    qmp.execute('query-cpus-fast') as Promise<readonly { 'qom-path': string }[]>,
    readVcpus(qmp),
  ])
  const path = first?.['qom-path'] ?? ''
  const properties = await readProperties(qmp, path, (property) => identity.has(property.name) || isFeature(property))
  const features = [...properties].filter(([name, value]) => !identity.has(name) && value === 'true').map(([name]) => name)
  const facts = [...properties].filter(([name]) => identity.has(name)).map(([name, value]) => [`cpu: ${name}`, value] as const)
  return {
    ...Object.fromEntries(facts),
    'cpu: type': places[0]?.type ?? '',
    'cpu: features': features.toSorted().join(' '),
    'cpu: places': places.map(({ socket, core, thread }) => `${socket}.${core}.${thread}`).join(' '),
    'cpu: plugged': String(places.filter(({ plugged }) => plugged).length),
  }
}

/** The features of a guest's CPUs, as QEMU names them. */
export function cpuFeaturesOf(facts: Readonly<Record<string, string>>): string[] {
  return (facts['cpu: features'] ?? '').split(' ').filter((name) => name !== '')
}

function isFeature({ name, type }: QomProperty): boolean {
  return type === 'bool' && isFeatureName(name)
}

/** Reports whether a CPU property is a guest-visible feature, by its canonical name. */
export function isFeatureName(name: string): boolean {
  return !name.startsWith('x-') && !name.includes('_') && !notFeatures.has(name)
}
