import { type PodSecurityCheck, plural, quoted } from '../check.ts'

/** No files of the node. */
export const hostPathVolumes: PodSecurityCheck = {
  id: 'hostPathVolumes',
  since: 0,
  run({ spec }) {
    const names = (spec.volumes ?? []).flatMap(({ name, hostPath }) => (hostPath === undefined ? [] : [name]))
    return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: `${plural('volume', names.length)} ${quoted(names)}` }
  },
}
