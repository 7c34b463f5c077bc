import type { CoreEvent } from '#api/core/v1/event.ts'
import { events } from '#api/core/v1/resources.ts'
import type { PlatformUpgrade } from '#api/hco/v1/status.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { UpgradeRecord } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts, virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { isForbidden, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { updateNames } from '#features/workload-update/index.ts'
import { CommandError } from '../context.ts'

/** The story of an upgrade, from what is stored in the cluster. */
export interface UpgradeReport {
  readonly upgrade: UpgradeRecord
  /** Migrations of guests to the new launcher, in the order of their creation. */
  readonly guests: readonly GuestMove[]
  /** Events of the KubeVirt and HyperConverged objects since its start, oldest first. */
  readonly events: readonly ReportedEvent[]
  /** What HyperConverged records of its own upgrade, if it is the last one. */
  readonly platform?: PlatformUpgrade
  /** Kinds that this user may not list, so that the report lacks them. */
  readonly unreadable: readonly string[]
}

/** A migration of a guest to the new launcher. */
export interface GuestMove {
  readonly namespace: string
  readonly name: string
  readonly phase: string
  readonly source: string
  readonly target: string
  readonly startedAt: string
  readonly endedAt?: string
  readonly failure?: string
}

/** An event that is part of the story. */
export interface ReportedEvent {
  readonly time: string
  readonly type: string
  readonly reason: string
  readonly message: string
}

/** Reads the story of the last upgrade, or of the one under way. @throws CommandError */
export async function readUpgradeReport(client: Pick<Client, 'list'>): Promise<UpgradeReport> {
  const kubevirt = chooseKubeVirt((await client.list(kubeVirts)).items)
  if (kubevirt === undefined) throw new CommandError('There is no KubeVirt object in this cluster: nothing is installed')
  const upgrade = kubevirt.status?.steadyvm?.lastUpgrade
  if (upgrade === undefined)
    throw new CommandError('The KubeVirt object records no upgrade yet: the release that was installed last did not write one')
  const unreadable: string[] = []
  const listed = async <T extends KubeObject>(resource: ResourceType<T>, namespace?: string): Promise<readonly T[]> => {
    try {
      return (await client.list(resource, namespace === undefined ? {} : { namespace })).items
    } catch (error) {
      if (isForbidden(error)) unreadable.push(resource.plural)
      else if (!isNotFound(error)) throw error
      return []
    }
  }
  const [migrations, platforms, told] = await Promise.all([
    listed(virtualMachineInstanceMigrations),
    listed(hyperConvergeds),
    listed(events, kubevirt.metadata.namespace),
  ])
  const platform = platforms[0]?.status?.steadyvm?.upgrade
  return {
    upgrade,
    guests: migrations.flatMap((migration) => moveOf(migration, upgrade) ?? []).toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1)),
    events: told.flatMap((event) => eventOf(event, upgrade) ?? []).toSorted((a, b) => (a.time < b.time ? -1 : 1)),
    ...(platform === undefined ? {} : { platform }),
    unreadable,
  }
}

function moveOf({ metadata, spec, status }: VirtualMachineInstanceMigration, upgrade: UpgradeRecord): GuestMove | undefined {
  const { namespace = '', creationTimestamp = '', annotations = {} } = metadata
  if (annotations[updateNames.migrationAnnotation] === undefined || creationTimestamp < upgrade.startedAt) return undefined
  const { sourceNode = '', targetNode = '', endTimestamp, failureReason } = status?.migrationState ?? {}
  return {
    namespace,
    name: spec.vmiName ?? '',
    phase: status?.phase ?? 'Pending',
    source: sourceNode,
    target: targetNode,
    startedAt: creationTimestamp,
    ...(endTimestamp === undefined || endTimestamp === null ? {} : { endedAt: endTimestamp }),
    ...(failureReason === undefined || failureReason === '' ? {} : { failure: failureReason }),
  }
}

/** Kinds whose events tell what an upgrade does. */
const tellers = new Set(['KubeVirt', 'HyperConverged'])

function eventOf(
  { involvedObject, reason = '', message = '', type = '', ...times }: CoreEvent,
  upgrade: UpgradeRecord,
): ReportedEvent | undefined {
  const time = times.lastTimestamp ?? times.eventTime ?? times.firstTimestamp ?? ''
  return tellers.has(involvedObject.kind ?? '') && time >= upgrade.startedAt ? { time, type, reason, message } : undefined
}
