import type { Pod } from '#api/core/v1/pod.ts'
import type { ResourceQuota } from '#api/core/v1/resource-quota.ts'
import { parseAmounts, podLimits, podRequests, type Amounts } from '#api/usage/pod-requests.ts'
import { parseQuantity, quantityToNumber } from '#apimachinery/quantity.ts'
import { mergePatch, type Finding } from '../finding.ts'
import { launcherFinder, runningGuests, guestUpdateOf } from '../guest-update.ts'
import { kubevirtPlace, type UpgradeInventory } from '../inventory.ts'

/** Finds what prevents migrations from starting or completing. */
export function capacityFindings(inventory: UpgradeInventory): Finding[] {
  return [...quotaFindings(inventory), ...speedFindings(inventory)]
}

/**
 * A migrating guest has two pods. Scoped quotas are skipped: whether they apply is known only for
 * an existing pod.
 */
function quotaFindings(inventory: UpgradeInventory): Finding[] {
  const moving = runningGuests(inventory).filter((guest) => guestUpdateOf(guest, inventory) === 'move')
  const podOf = launcherFinder(inventory.pods)
  const pods = Map.groupBy(
    moving.flatMap((guest) => podOf(guest) ?? []),
    ({ metadata }) => metadata.namespace ?? '',
  )
  return inventory.quotas
    .filter(({ spec }) => (spec?.scopes ?? []).length === 0 && spec?.scopeSelector === undefined)
    .flatMap((quota) => quotaFinding(quota, pods.get(quota.metadata.namespace ?? '') ?? []))
}

function quotaFinding(quota: ResourceQuota, pods: readonly Pod[]): Finding[] {
  const { name = '', namespace = '' } = quota.metadata
  const hard = parseAmounts(quota.spec?.hard)
  const used = parseAmounts(quota.status?.used)
  const short = new Map<string, bigint>()
  for (const [resource, most] of hard) {
    const needs = pods.map((pod) => countedAs(pod).get(resource) ?? 0n)
    const wanted = (used.get(resource) ?? 0n) + needs.reduce((a, b) => (a > b ? a : b), 0n)
    if (wanted > most) short.set(resource, wanted)
  }
  if (pods.length === 0 || short.size === 0) return []
  const raised = Object.fromEntries([...short].map(([resource, amount]) => [resource, quantityOf(resource, amount)]))
  return [
    {
      id: 'QuotaTooSmall',
      severity: 'warning',
      object: `resourcequota/${namespace}/${name}`,
      what: `The quota leaves no room for a second pod of the largest guest of namespace ${namespace}: ${[...short.keys()].join(', ')}`,
      why: 'A guest that moves has two pods for a while. Its migration would be refused, and it stays in its old launcher',
      command: mergePatch(`resourcequota/${name}`, namespace, { spec: { hard: raised } }),
    },
  ]
}

/** Returns a pod's usage by the resource names of quotas. */
function countedAs(pod: Pod): Amounts {
  const requests = [...podRequests(pod)].flatMap(([name, amount]) => [[name, amount] as const, [`requests.${name}`, amount] as const])
  const limits = [...podLimits(pod)].map(([name, amount]) => [`limits.${name}`, amount] as const)
  return new Map([...requests, ...limits, ['count/pods', 1000n]])
}

function quantityOf(resource: string, milli: bigint): string {
  if (resource.endsWith('memory')) return `${(milli / 1000n + (1n << 20n) - 1n) >> 20n}Mi`
  return resource.endsWith('cpu') ? `${milli}m` : String((milli + 999n) / 1000n)
}

const gibibyte = 2 ** 30

interface Speed {
  readonly bandwidthPerMigration?: string | number | undefined
  readonly completionTimeoutPerGiB: number
  readonly allowPostCopy: boolean
  readonly allowWorkloadDisruption: boolean
}

/**
 * Finds guests whose memory cannot be sent once before the migration times out, unless
 * auto-converge or post-copy is allowed.
 */
function speedFindings(inventory: UpgradeInventory): Finding[] {
  if (!runningGuests(inventory).some((guest) => guestUpdateOf(guest, inventory) === 'move')) return []
  const { migrations } = inventory.config
  const { object, namespace } = kubevirtPlace(inventory)
  const whole = speedFinding(object, migrations, (completionTimeoutPerGiB) =>
    mergePatch(object, namespace, { spec: { configuration: { migrations: { completionTimeoutPerGiB } } } }),
  )
  const single = inventory.policies.flatMap(({ metadata: { name = '' }, spec }) => {
    const { selectors: _selectors, ...own } = spec
    const speed = {
      ...migrations,
      ...own,
      completionTimeoutPerGiB: Number(own.completionTimeoutPerGiB ?? migrations.completionTimeoutPerGiB),
    }
    const isOwn = own.bandwidthPerMigration !== undefined || own.completionTimeoutPerGiB !== undefined
    return isOwn
      ? speedFinding(`migrationpolicy/${name}`, speed, (completionTimeoutPerGiB) =>
          mergePatch(`migrationpolicy/${name}`, undefined, { spec: { completionTimeoutPerGiB } }),
        )
      : []
  })
  return [...whole, ...single]
}

function speedFinding(object: string, speed: Speed, raise: (seconds: number) => string): Finding[] {
  const { bandwidthPerMigration, completionTimeoutPerGiB, allowPostCopy, allowWorkloadDisruption } = speed
  const bytes = bandwidthPerMigration === undefined ? 0 : quantityToNumber(parseQuantity(bandwidthPerMigration))
  if (bytes <= 0 || allowPostCopy || allowWorkloadDisruption || bytes * completionTimeoutPerGiB >= gibibyte) return []
  return [
    {
      id: 'MigrationTooSlow',
      severity: 'warning',
      object,
      what: `A migration may send ${String(bandwidthPerMigration)} bytes a second and take ${completionTimeoutPerGiB} s for each GiB, which is less than one GiB`,
      why: 'Migrations of guests that use their memory would be given up each time, and the guests stay in their old launchers',
      // Twice the time of one pass: the guest writes while it is copied.
      command: raise(Math.ceil((2 * gibibyte) / bytes)),
    },
  ]
}
