import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Decision } from './decide.ts'
import type { Observed } from './guests/facts.ts'
import { keyOf } from './guests/read-guest.ts'
import { updateCandidates } from './observe.ts'
import { updateNames } from './names.ts'
import type { Ports } from './ports.ts'
import { isOutdated, type WaitState } from './rollout/evaluate.ts'

/**
 * VMIs written in one pass: thousands become outdated at once, and other controllers need the API,
 * too.
 */
const mostWrites = 200

/**
 * Reports on each VMI what its update waits for, and totals on the KubeVirt object. Returns false
 * when more VMIs are to be written.
 */
export async function report(ports: Ports, kubevirt: KubeVirt, observed: Observed, decision: Decision): Promise<boolean> {
  // Updates that begin in this pass are reported in the next one, which sees them; otherwise their
  // condition would be removed first.
  const begun = new Set([...decision.migrate, ...decision.evict].map(({ key }) => key))
  const states = new Map(decision.waiting.map(({ guest, state }) => [guest.key, state]))
  const outdated = new Set(observed.guests.filter((guest) => isOutdated(guest, observed)).map(({ key }) => key))
  let writes = 0
  for (const vmi of updateCandidates(ports)) {
    const key = keyOf(vmi)
    if (begun.has(key)) continue
    const change = noteOf(vmi, states.get(key), outdated.has(key), ports.clock.now())
    if (change === undefined) continue
    if (writes++ >= mostWrites) return false
    await write(ports, vmi, change)
  }
  await sumUp(ports, kubevirt, decision)
  return true
}

/**
 * Returns the change of a VMI. The message is only written with another reason or number of
 * attempts, because its times change with each pass.
 */
function noteOf(vmi: VirtualMachineInstance, state: WaitState | undefined, isOld: boolean, nowMs: number): Note | undefined {
  const { conditions } = vmi.status ?? {}
  const shown = findCondition(conditions, updateNames.pendingCondition)
  const text = state === undefined ? undefined : `${state.message}${state.attempts > 0 ? ` (failed attempts: ${state.attempts})` : ''}`
  const isNews = shown?.reason !== state?.reason || shown?.message !== text
  const isLabelled = vmi.metadata.labels?.[updateNames.outdatedLabel] !== undefined
  if (!isNews && isLabelled === isOld) return undefined
  const condition: VirtualMachineInstanceCondition | undefined =
    state === undefined || text === undefined
      ? undefined
      : { type: updateNames.pendingCondition, status: 'True', reason: state.reason, message: text, lastProbeTime: null }
  const next =
    condition === undefined
      ? removeCondition(conditions, updateNames.pendingCondition)
      : setCondition<VirtualMachineInstanceCondition>(conditions, condition, timestamp(nowMs))
  return {
    ...(isLabelled === isOld ? {} : { metadata: { labels: { [updateNames.outdatedLabel]: isOld ? '' : null } } }),
    ...(isNews ? { status: { conditions: next } } : {}),
  }
}

interface Note {
  readonly metadata?: { readonly labels: Readonly<Record<string, string | null>> }
  readonly status?: { readonly conditions: readonly VirtualMachineInstanceCondition[] }
}

async function write({ client }: Ports, vmi: VirtualMachineInstance, note: Note): Promise<void> {
  try {
    await patchIfUnchanged(client, virtualMachineInstances, vmi, note)
  } catch (error) {
    // Changed meanwhile: reported again after its watch event.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

async function sumUp({ client }: Ports, { metadata, status }: KubeVirt, { waiting, outdated }: Decision): Promise<void> {
  const before = status?.steadyvm?.workloadUpdate
  const counts: Record<string, number | null> = Object.fromEntries(Object.keys(before?.waiting ?? {}).map((reason) => [reason, null]))
  for (const { state } of waiting) counts[state.reason] = (counts[state.reason] ?? 0) + 1
  const shown = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== null))
  const isSame = deepEqual(before?.waiting ?? {}, shown) && (status?.outdatedVirtualMachineInstanceWorkloads ?? 0) === outdated
  if (isSame) return
  // No precondition: this controller owns the fields.
  const body = { status: { outdatedVirtualMachineInstanceWorkloads: outdated, steadyvm: { workloadUpdate: { waiting: counts } } } }
  const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
  try {
    await client.patch(kubeVirts, key, { type: 'merge', body }, { subresource: 'status' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
