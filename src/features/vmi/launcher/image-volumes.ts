import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'

/** Facts that decide between image volumes and copies. */
export interface ImageVolumeFacts {
  /** True if launchers run in containers. */
  readonly inContainer: boolean
  readonly config: () => { readonly imageVolumes?: boolean }
  readonly hasImageVolumes: () => Promise<boolean>
}

/** Reports whether a launcher pod gets image volumes: as configured, otherwise where they exist. */
export async function canMountImages({ inContainer, config, hasImageVolumes }: ImageVolumeFacts): Promise<boolean> {
  return !inContainer || (config().imageVolumes ?? hasImageVolumes())
}

/** Options of {@link createImageVolumeProbe}. */
export interface ImageVolumeProbeOptions {
  readonly client: Pick<Client, 'create'>
  /** Namespace of the components, in which a pod is created and not stored. */
  readonly namespace: string
  readonly clock: Clock
  readonly log: Logger
}

/** Milliseconds for which an answer holds: the API server may be upgraded, or get other gates. */
const answerMs = 600_000

/**
 * Returns a function that reports whether pods can have image volumes, by a dry run: an API server
 * with the feature gate `ImageVolume` off removes the volume, and one that does not know them makes
 * it an emptyDir. Rejects while the API server does not answer.
 */
export function createImageVolumeProbe({ client, namespace, clock, log }: ImageVolumeProbeOptions): () => Promise<boolean> {
  let last: { readonly until: number; readonly answer: boolean } | undefined
  return async () => {
    if (last !== undefined && clock.now() < last.until) return last.answer
    const answer = await acceptsImageVolume(client, namespace, log)
    if (answer !== last?.answer) log.info({ imageVolumes: answer }, 'The cluster was asked for image volumes')
    last = { until: clock.now() + answerMs, answer }
    return answer
  }
}

async function acceptsImageVolume(client: Pick<Client, 'create'>, namespace: string, log: Logger): Promise<boolean> {
  const volumeMounts = [{ name: 'image', mountPath: '/image' }]
  const pod: Pod = {
    metadata: { generateName: 'image-volume-probe-', namespace },
    spec: { containers: [{ name: 'probe', image: 'probe', volumeMounts }], volumes: [{ name: 'image', image: { reference: 'probe' } }] },
  }
  try {
    const { spec } = await client.create<Pod>(pods, pod, { dryRun: true })
    return spec.volumes?.some(({ image }) => image !== undefined) === true
  } catch (error) {
    // Init containers work in either case: they are right for each refusal.
    if (!(error instanceof StatusError) || error.code >= 500 || error.code === 429) throw error
    log.warn({ error }, 'The cluster refuses to be asked for image volumes')
    return false
  }
}
