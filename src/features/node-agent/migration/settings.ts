import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { CopiedDisk, Domain, MigrationLimits, MigrationSettings } from '#qemu/index.ts'
import type { MigrationCertificates } from '../guest/ports.ts'
import { targetNameOf } from './address.ts'
import { parseSourceLaunch } from './source-launch.ts'

/**
 * KubeVirt's names of a guest's two streams: the ports that they would have without anything
 * between.
 */
export const streams = { memory: '49152', storage: '49153' } as const

const defaults = { maxDowntimeMs: 900, progressTimeout: 150, completionTimeoutPerGiB: 150 } as const

/**
 * How the guest is to be moved, from the settings that were frozen when it was handed over, and
 * from what the two sides have told each other. `certificates`: those of this side.
 */
export function settingsOf(state: State, side: 'source' | 'target', certificates: MigrationCertificates | undefined): MigrationSettings {
  const { migrationConfiguration = {}, targetNodeAddress = '', targetNode = '', targetState } = state
  const { bandwidthPerMigration, maxDowntimeMs, allowAutoConverge, disableTLS } = migrationConfiguration
  const bandwidth = typeof bandwidthPerMigration === 'string' ? Number(quantityToBytes(parseQuantity(bandwidthPerMigration))) : 0
  // A target of an earlier release takes one stream, and does not say so.
  const channels = side === 'target' ? offeredChannels(state) : targetState?.steadyvm?.channels
  return {
    ...(bandwidth > 0 ? { bandwidth } : {}),
    maxDowntimeMs: numberOr(maxDowntimeMs, defaults.maxDowntimeMs),
    autoConverge: allowAutoConverge === true,
    postCopy: mayPostCopy(migrationConfiguration, targetState),
    ...(channels === undefined ? {} : { channels }),
    ...(certificates === undefined || disableTLS === true
      ? {}
      : { tls: { directory: certificates.directory, targetName: targetNameOf(targetNodeAddress, targetNode, certificates.name) } }),
  }
}

/** How many streams the source would send. */
export function offeredChannels({ sourceState }: State): number | undefined {
  const text = sourceState?.steadyvm?.launch
  return text === undefined ? undefined : parseSourceLaunch(text).channels
}

/** When it is given up. */
export function limitsOf({ migrationConfiguration = {}, targetState }: VirtualMachineInstanceMigrationState): MigrationLimits {
  const { progressTimeout, completionTimeoutPerGiB, allowWorkloadDisruption } = migrationConfiguration
  return {
    progressTimeoutMs: numberOr(progressTimeout, defaults.progressTimeout) * 1000,
    completionTimeoutMsPerGib: numberOr(completionTimeoutPerGiB, defaults.completionTimeoutPerGiB) * 1000,
    allowPostCopy: mayPostCopy(migrationConfiguration, targetState),
    allowWorkloadDisruption: allowWorkloadDisruption === true,
  }
}

/**
 * Disks that only this node has, and that the guest writes to. All of each is copied: the images
 * below overlays may have the same name and another content elsewhere.
 */
export function copiedDisks(domain: Domain): CopiedDisk[] {
  return domain.disks
    .filter(({ readOnly, shared }) => !readOnly && shared !== true)
    .map(({ name }) => ({ node: `disk-${name}`, sync: 'full' }))
}

function mayPostCopy({ allowPostCopy }: NonNullable<State['migrationConfiguration']>, target: State['targetState']): boolean {
  return allowPostCopy === true && target?.steadyvm?.withoutPostCopy !== true
}

type State = VirtualMachineInstanceMigrationState

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' && value > 0 ? value : fallback
}
