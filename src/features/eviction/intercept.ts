import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Eviction } from '#api/policy/v1/eviction.ts'
import { isNotFound, tooManyRequests } from '#apimachinery/errors.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found as orUndefined } from '#client/found.ts'
import { names } from '#features/vmi/index.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'
import { attachedGuestOf, evacuationPatch, isActiveLauncher, reviewEviction, type AttachedGuest } from './admission.ts'
import type { EvictionConfig } from './strategy.ts'

/** Dependencies of the eviction webhook. */
export interface InterceptorOptions {
  readonly client: Pick<Client, 'get' | 'patch'>
  /** Returns the current configuration, which follows the KubeVirt object. */
  readonly config: () => EvictionConfig
}

/**
 * Reviews evictions of launcher pods, with reads from the API instead of a cache. Refuses when a
 * read fails: keeping a guest is reversible.
 */
export async function interceptEviction({ client, config }: InterceptorOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const key = { namespace: request.namespace ?? '', name: request.name ?? '' }
  try {
    const pod = await findPod(client, key)
    if (pod === undefined) return { allowed: true }
    const guestOfVolume = attachedGuestOf(pod)
    if (guestOfVolume !== undefined) return reviewVolume(client, key, guestOfVolume)
    if (!isActiveLauncher(pod)) return { allowed: true }
    const vmi = await client.get<VirtualMachineInstance>(virtualMachineInstances, { ...key, name: vmiNameOf(pod) })
    const verdict = reviewEviction(pod, vmi, config())
    if (verdict.kind === 'allow') return { allowed: true }
    if (verdict.kind === 'mark') await mark(client, vmi, verdict.nodeName, request)
    return refusal(verdict.why)
  } catch (error) {
    return refusal(`Cannot tell what the eviction of pod "${key.namespace}/${key.name}" would do to its guest: ${String(error)}`)
  }
}

/**
 * Reviews the eviction of a pod that attaches a volume: it ends with the guest, or with the part of
 * it that leaves the node.
 */
async function reviewVolume(client: InterceptorOptions['client'], key: ObjectKey, vmi: AttachedGuest): Promise<AdmissionAnswer> {
  const found = await orUndefined(client.get<VirtualMachineInstance>(virtualMachineInstances, { ...key, name: vmi.name }))
  if (found === undefined || found.metadata.uid !== vmi.uid || isVmiFinal(found)) return { allowed: true }
  return refusal(`cannot evict hotplug pod: ${key.name} associated with running vmi: ${vmi.name} in namespace ${key.namespace ?? ''}`)
}

/** Returns undefined for a pod that is gone: kube-apiserver asks before it answers 404. */
async function findPod(client: InterceptorOptions['client'], key: ObjectKey): Promise<Pod | undefined> {
  try {
    return await client.get<Pod>(pods, key)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function vmiNameOf({ metadata }: Pod): string {
  return metadata.annotations?.[names.domainAnnotation] ?? ''
}

async function mark(
  client: InterceptorOptions['client'],
  vmi: VirtualMachineInstance,
  nodeName: string,
  request: AdmissionRequest,
): Promise<void> {
  const { annotations } = request.object?.metadata ?? {}
  const node = await client.get<Node>(nodes, { name: nodeName })
  const occasion = {
    isByDescheduler: annotations?.['requested-by'] === 'sigs.k8s.io/descheduler',
    isNodeCordoned: node.spec?.unschedulable === true,
  }
  const { namespace = '', name = '' } = vmi.metadata
  const operations = evacuationPatch(vmi, nodeName, occasion)
  await client.patch(virtualMachineInstances, { namespace, name }, { type: 'json', operations }, { dryRun: isDryRun(request) })
}

/**
 * `kubectl drain --dry-run=server` sets dryRun in the deletion options, which the API server does
 * not evaluate before it calls webhooks.
 */
function isDryRun({ dryRun, object }: AdmissionRequest): boolean {
  const { deleteOptions } = (object ?? {}) as Eviction
  const asked = (deleteOptions as { readonly dryRun?: readonly string[] } | undefined)?.dryRun ?? []
  return dryRun === true || asked.length > 0
}

/**
 * 429: drains retry after five seconds. With Retry-After, client-go would retry ten times by
 * itself, ignoring the time-out of the drain.
 */
function refusal(why: string): AdmissionAnswer {
  return { allowed: false, error: tooManyRequests(why, 0) }
}
