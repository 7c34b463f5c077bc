import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Pod, PodCondition, PodStatus } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { systemClock, timestamp } from '#runtime/clock/clock.ts'

/** Outcome of a pod as soon as it is bound. */
export type PodOutcome = 'ready' | 'running' | 'stuck' | 'succeeds' | 'fails'

/** Nodes whose pods need no processes: they become what the test says, at once, and end at once. */
export interface FakeKubelets extends AsyncDisposable {
  /** Applies the outcome to all pods again, after it has changed. */
  refresh(): Promise<void>
}

/** Registers nodes and plays their kubelets. */
export async function startFakeKubelets(
  client: Client,
  names: readonly string[],
  fateOf: (pod: Pod) => PodOutcome = () => 'ready',
): Promise<FakeKubelets> {
  const amounts = { cpu: '64', memory: '64Gi', pods: '1000' }
  for (const name of names) {
    const status = { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] }
    await client.create(nodes, { metadata: { name, labels: { 'kubernetes.io/hostname': name } }, status } as never)
  }
  const stop = new AbortController()
  const play = async (pod: Pod): Promise<void> => {
    try {
      if (names.includes(pod.spec.nodeName ?? '')) await updatePod(client, pod, fateOf(pod))
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
  const { metadata } = await client.list(pods)
  const running = (async () => {
    const { resourceVersion = '' } = metadata
    for await (const { type, object } of client.watch(pods, { resourceVersion, signal: stop.signal })) {
      if (type !== 'DELETED') await play(object)
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return {
    refresh: async () => {
      for (const pod of (await client.list(pods)).items) await play(pod)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

async function updatePod(client: Client, pod: Pod, outcome: PodOutcome): Promise<void> {
  const { namespace = '', name = '', uid = '', deletionTimestamp } = pod.metadata
  const key = { namespace, name }
  if (deletionTimestamp !== undefined) {
    if ((pod.metadata.deletionGracePeriodSeconds ?? 0) === 0) return
    return client.delete(pods, key, { gracePeriodSeconds: 0, preconditions: { uid } })
  }
  const status = statusFor(outcome, timestamp(systemClock.now()))
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status
  if (status === undefined || (pod.status?.phase === status.phase && ready === status.conditions?.[0]?.status)) return
  await client.patch(pods, key, { type: 'strategic', body: { metadata: { uid }, status } }, { subresource: 'status' })
}

function statusFor(outcome: PodOutcome, now: string): PodStatus | undefined {
  const condition = (status: 'True' | 'False'): PodCondition[] => [{ type: 'Ready', status, lastTransitionTime: now }]
  if (outcome === 'stuck') return undefined
  if (outcome === 'ready') return { phase: 'Running', conditions: condition('True') }
  if (outcome === 'running') return { phase: 'Running', conditions: condition('False') }
  return { phase: outcome === 'succeeds' ? 'Succeeded' : 'Failed', conditions: condition('False') }
}

/** Polls until the function gives something true. */
export async function until<T>(what: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 6000; tries++) {
    const answer = await what()
    if (answer !== undefined && answer !== false) return answer
    await systemClock.sleep(10)
  }
  throw new RangeError('it did not come true in time')
}
