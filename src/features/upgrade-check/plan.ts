import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { parseQuantity, quantityToNumber } from '#apimachinery/quantity.ts'
import { formerVersionRetentionMs, rolloutLimits } from '#features/operator/index.ts'
import { workloadUpdateSettings } from '#features/workload-update/index.ts'
import { compareReleases } from '#apimachinery/release-version.ts'
import { runningGuests, guestUpdateOf, type GuestUpdate } from './guest-update.ts'
import { currentVersion, type UpgradeInventory } from './inventory.ts'

/** A step of the upgrade. */
export interface UpgradeStep {
  readonly stage: 'Preflight' | 'Expand' | 'NodeAgents' | 'Controllers' | 'API' | 'Workloads' | 'Contract'
  readonly what: string
  /** Number of objects that it affects. */
  readonly count: number
  /** Estimated duration, without update windows. */
  readonly seconds: number
}

/** Seconds, as measured on a machine with two processors. */
const agentSeconds = 4
const usualLimits = { soakMs: 15_000, deadlineMs: 30_000 }
const deploymentSeconds = 8
/** Seconds to start the target pod and to switch over, regardless of memory size. */
const migrationSeconds = 8
/** Bytes per second without a limit or earlier migrations: a network of 1 Gbit/s. */
const usualBandwidth = 100_000_000
const shareAtOnce = 0.1
const usuallyKeptMs = 600_000

/**
 * Lists the steps of the upgrade with estimates from the number of objects and earlier migrations.
 * Pure.
 */
export function planSteps(inventory: UpgradeInventory): UpgradeStep[] {
  const nodes = inventory.nodes.filter(({ status }) => isTrue(status?.conditions, 'Ready')).length
  const left = inventory.nodes.length - nodes
  const waves = Math.ceil(Math.max(0, nodes - 1) / Math.max(1, Math.floor(nodes * shareAtOnce)))
  const soakSeconds = Math.round(rolloutLimits(inventory.kubevirt, usualLimits).soakMs / 1000)
  const agents: UpgradeStep = {
    stage: 'NodeAgents',
    what: `node agents: one, then the others${left === 0 ? '' : `; ${left} nodes are left out and follow`}`,
    count: nodes,
    seconds: nodes === 0 ? 0 : agentSeconds + soakSeconds + waves * agentSeconds,
  }
  const controllers: UpgradeStep = { stage: 'Controllers', what: 'virt-controller', count: 1, seconds: deploymentSeconds + soakSeconds }
  const api: UpgradeStep = { stage: 'API', what: 'virt-api', count: 1, seconds: deploymentSeconds + soakSeconds }
  const isBack = isOlder(inventory)
  const kept = `${Math.round(formerVersionRetentionMs(inventory.kubevirt, usuallyKeptMs) / 60_000)} min`
  return [
    { stage: 'Preflight', what: 'this check; nothing is written before it', count: 1, seconds: 1 },
    { stage: 'Expand', what: 'kinds and rights of both versions', count: 1, seconds: 2 },
    ...(isBack ? [api, controllers, agents] : [agents, controllers, api]),
    ...workloadSteps(inventory),
    {
      stage: 'Contract',
      what: `what only the former version needs goes after ${kept}; until then the way back is short`,
      count: 1,
      seconds: 0,
    },
  ]
}

function isOlder(inventory: UpgradeInventory): boolean {
  const from = currentVersion(inventory)
  return from !== undefined && compareReleases(inventory.to, from) < 0
}

function workloadSteps(inventory: UpgradeInventory): UpgradeStep[] {
  const byWay = Map.groupBy(runningGuests(inventory), (guest) => guestUpdateOf(guest, inventory))
  const of = (way: GuestUpdate): readonly VirtualMachineInstance[] => byWay.get(way) ?? []
  const { batchSize, batchIntervalMs, maxPerCluster: mostPerCluster } = workloadUpdateSettings(inventory.kubevirt, inventory.config)
  const moving = of('move')
  const each = moving.length === 0 ? 0 : moving.reduce((sum, guest) => sum + migrationTime(guest, inventory), 0) / moving.length
  const classes = new Set(moving.map(({ spec, status }) => `${status?.machine?.type}/${spec.domain.cpu?.model}`)).size
  const stopped = of('stop').length
  // The first batch is a single guest, which is waited for.
  const batches = stopped === 0 ? 0 : Math.ceil((stopped - 1) / Math.max(1, batchSize))
  const left = of('stuck').length + of('stay').length
  const rows: readonly UpgradeStep[] = [
    {
      stage: 'Workloads',
      what: `guests moved, ${mostPerCluster} at a time, the first of each kind alone`,
      count: moving.length,
      seconds: Math.round(each * (Math.ceil(classes / mostPerCluster) + Math.ceil(Math.max(0, moving.length - classes) / mostPerCluster))),
    },
    { stage: 'Workloads', what: 'guests stopped and started', count: stopped, seconds: Math.round((batches * batchIntervalMs) / 1000) },
    { stage: 'Workloads', what: 'guests left to whoever restarts them', count: left, seconds: 0 },
  ]
  return rows.filter(({ count }) => count > 0)
}

/** Estimates seconds from the last migration, else from memory size. */
function migrationTime({ spec, status }: VirtualMachineInstance, { config }: UpgradeInventory): number {
  const { startTimestamp, endTimestamp, completed, failed } = status?.migrationState ?? {}
  const took = (Date.parse(endTimestamp ?? '') - Date.parse(startTimestamp ?? '')) / 1000
  if (completed === true && failed !== true && took >= 0) return Math.max(1, took)
  const memory = spec.domain.memory?.guest ?? spec.domain.resources?.requests?.['memory'] ?? '0'
  const { bandwidthPerMigration } = config.migrations
  const bandwidth = bandwidthPerMigration === undefined ? usualBandwidth : quantityToNumber(parseQuantity(bandwidthPerMigration))
  return migrationSeconds + quantityToNumber(parseQuantity(memory)) / Math.max(1, bandwidth)
}
