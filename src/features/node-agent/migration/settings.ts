import { migrationPorts } from '#features/launcher/index.ts'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { CopiedDisk, Domain, MigrationLimits, MigrationSettings } from '#qemu/index.ts'
import type { MigrationCertificates } from '../guest/ports.ts'
import { targetNameOf } from './address.ts'
import { parseSourceLaunch } from './source-launch.ts'

/** KubeVirt's names of the two streams: the ports of a direct migration. */
export const streams: Readonly<Record<'memory' | 'storage', string>> = {
  memory: String(migrationPorts.memory),
  storage: String(migrationPorts.storage),
}

const defaults = { maxDowntimeMs: 900, progressTimeout: 150, completionTimeoutPerGiB: 150 } as const

/**
 * Builds QEMU's migration settings from the configuration frozen at hand-over and from both sides'
 * states. `certificates` are this side's.
 */
export function settingsOf(state: State, side: 'source' | 'target', certificates: MigrationCertificates | undefined): MigrationSettings {
  const { migrationConfiguration = {}, targetNodeAddress = '', targetNode = '', targetState } = state
  const { bandwidthPerMigration, maxDowntimeMs, allowAutoConverge, disableTLS } = migrationConfiguration
  const bandwidth = typeof bandwidthPerMigration === 'string' ? Number(quantityToBytes(parseQuantity(bandwidthPerMigration))) : 0
  // A target of an older release supports one channel and does not report a number.
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

/** Returns the number of channels that the source offers. */
export function offeredChannels({ sourceState }: State): number | undefined {
  const text = sourceState?.steadyvm?.launch
  return text === undefined ? undefined : parseSourceLaunch(text).channels
}

/** Returns the limits after which a migration is aborted. */
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
 * Returns the local writable disks, which are copied in full: a base image on the target may have
 * the same name and other content.
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
