import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { launcherSelector, names } from '../names.ts'

/** Index of launcher pods by UID of their VMI. */
export const podsByVmi = 'vmi'

/** See {@link podsByVmi}. */
export function vmiUids({ metadata }: Pod): readonly string[] {
  const uid = metadata.labels?.[names.createdByLabel]
  return uid === undefined ? [] : [uid]
}

/** Returns the cache of launcher pods, with index {@link podsByVmi}. */
export function launchersIn(informers: InformerSet): Informer<Pod> {
  const launchers = informers.informer(pods, { labelSelector: launcherSelector })
  launchers.addIndex(podsByVmi, vmiUids)
  return launchers
}
