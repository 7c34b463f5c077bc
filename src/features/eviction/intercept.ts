import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Eviction } from '#api/policy/v1/eviction.ts'
import { tooManyRequests } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { names } from '#features/vmi/index.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'
import { isActiveLauncher, reviewEviction, evacuationPatch } from './admission.ts'
import type { EvictionConfig } from './strategy.ts'

/** What the judge of evictions needs from the world. */
export interface InterceptorOptions {
  readonly client: Pick<Client, 'get' | 'patch'>
  /** Asked each time: it follows the KubeVirt object. */
  readonly config: () => EvictionConfig
}

/**
 * Judges evictions of launcher pods, by what the API says now and not a cache. Whatever cannot be
 * found out is a refusal: a guest that stays can be evicted later, one that is gone is gone.
 */
export async function interceptEviction({ client, config }: InterceptorOptions, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const key = { namespace: request.namespace ?? '', name: request.name ?? '' }
  try {
    const pod = await client.get<Pod>(pods, key)
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
 * `kubectl drain --dry-run=server` says so in the options of the deletion, which the API server does not look at before it asks.
 */
function isDryRun({ dryRun, object }: AdmissionRequest): boolean {
  const { deleteOptions } = (object ?? {}) as Eviction
  const asked = (deleteOptions as { readonly dryRun?: readonly string[] } | undefined)?.dryRun ?? []
  return dryRun === true || asked.length > 0
}

/**
 * 429: drains try again, after five seconds. Told when to, client-go would try ten times by itself,
 * behind the back of the drain and its time-out.
 */
function refusal(why: string): AdmissionAnswer {
  return { allowed: false, error: tooManyRequests(why, 0) }
}
