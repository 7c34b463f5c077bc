import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { chooseKubeVirt } from '../choose-kubevirt.ts'

/** KubeVirt's default of `memBalloonStatsPeriod`. */
const defaultSeconds = 10

/**
 * Returns the seconds between two questions of a balloon to its guest, as the KubeVirt object sets
 * them; 0: it does not ask.
 */
export function balloonPeriodSeconds(kubevirts: Pick<Lister<KubeVirt>, 'list'>): number {
  return Math.max(0, chooseKubeVirt(kubevirts.list())?.spec?.configuration?.memBalloonStatsPeriod ?? defaultSeconds)
}
