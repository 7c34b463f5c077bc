import { isFeatureName } from '../fingerprint/cpu-facts.ts'
import type { QemuCapabilities } from '../host/capabilities.ts'
import { deviceModels } from '../domain/arguments.ts'
import { parseCommandLine, parseProperties, propertyOf } from '../launch/command-line.ts'

/** Launch record of a guest. */
export interface SourceLaunch {
  readonly arguments: readonly string[]
  /** Version of the QEMU that it runs in. */
  readonly version: string
  /**
   * Actual features of its CPUs, from its fingerprint; required to migrate models that depend on
   * the host.
   */
  readonly cpuFeatures?: readonly string[]
}

/** A candidate for the target of a migration. */
export interface TargetHost {
  readonly accelerator: 'kvm' | 'tcg'
  readonly capabilities: QemuCapabilities
}

/** Reason why a guest cannot migrate there; the first word is machine-readable. */
export interface Obstacle {
  readonly kind: 'accelerator' | 'machine' | 'cpuModel' | 'cpuFeature' | 'device' | 'version'
  readonly text: string
}

/**
 * Returns the known obstacles to a migration: QEMU notices none of them in time, and a different
 * CPU not at all. An empty list is no guarantee.
 */
export function compatibility(source: SourceLaunch, target: TargetHost): Obstacle[] {
  const options = parseCommandLine(source.arguments)
  const valueOf = (name: string): string => options.find((option) => option.name === name)?.value ?? ''
  return [
    ...versionObstacles(source.version, target.capabilities.version),
    ...acceleratorObstacles(valueOf('-accel'), target.accelerator),
    ...machineObstacles(valueOf('-machine'), target.capabilities),
    ...cpuObstacles(valueOf('-cpu'), source.cpuFeatures, target.capabilities),
    ...deviceObstacles(source.arguments, target.capabilities),
  ]
}

/** The stream of a newer QEMU may contain state that an older one does not know. */
function versionObstacles(source: string, target: string): Obstacle[] {
  if (compareVersions(source, target) <= 0) return []
  return [{ kind: 'version', text: `the guest runs in QEMU ${source}, and the target has the older ${target}` }]
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  // Stable updates of one release are the same to a guest, in both directions.
  for (const index of [0, 1]) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function acceleratorObstacles(value: string, accelerator: string): Obstacle[] {
  const [name] = value.split(',')
  if (name === '' || name === accelerator) return []
  return [{ kind: 'accelerator', text: `the guest runs by ${name}, and the target has ${accelerator}` }]
}

function machineObstacles(value: string, { machineTypes, version }: QemuCapabilities): Obstacle[] {
  const [type = ''] = value.split(',')
  return machineTypes.includes(type)
    ? []
    : [{ kind: 'machine', text: `machine type ${type} is not known to QEMU ${version} of the target` }]
}

/** Models that depend on the host and on the QEMU release. */
const elastic: ReadonlySet<string> = new Set(['host', 'max'])

function cpuObstacles(value: string, actual: readonly string[] | undefined, target: QemuCapabilities): Obstacle[] {
  const properties = parseProperties(value)
  const model = propertyOf(properties, '') ?? ''
  const possible = new Set(target.cpuFeatures)
  if (elastic.has(model)) return elasticObstacles(model, actual, possible)
  if (!target.cpuModels.includes(model)) return [{ kind: 'cpuModel', text: `CPU model ${model} cannot be had on the target` }]
  return properties
    .filter(([name, state]) => state === 'on' && name !== 'enforce' && name !== 'check' && !name.startsWith('hv-'))
    .map(([name]) => name.replace(/^\+/, '').replaceAll('_', '-'))
    .filter((name) => !possible.has(name))
    .map((name) => ({ kind: 'cpuFeature', text: `CPU feature ${name} cannot be had on the target` }))
}

function elasticObstacles(model: string, actual: readonly string[] | undefined, possible: ReadonlySet<string>): Obstacle[] {
  if (actual === undefined) {
    return [{ kind: 'cpuModel', text: `CPU model ${model} is another CPU on every host, and the features of this guest's are not known` }]
  }
  const missing = actual.filter((name) => !possible.has(name))
  const added = [...possible].filter((name) => isFeatureName(name) && !actual.includes(name))
  return [
    ...missing.map((name): Obstacle => ({
      kind: 'cpuFeature',
      text: `the guest has CPU feature ${name}, and ${model} of the target has not`,
    })),
    ...added.map((name): Obstacle => ({
      kind: 'cpuFeature',
      text: `${model} of the target has CPU feature ${name}, and the guest has not`,
    })),
  ]
}

function deviceObstacles(args: readonly string[], { deviceModels: known, version }: QemuCapabilities): Obstacle[] {
  return deviceModels(args)
    .filter((model) => !known.includes(model))
    .map((model) => ({ kind: 'device', text: `device ${model} is not known to QEMU ${version} of the target` }))
}
