import type { Volume } from '#api/core/v1/volume.ts'
import { type PodSecurityCheck, plural, quoted, quotedSet } from '../check.ts'

const allowed = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
])

/** Only volumes that give no access to the node or its network storage. */
export const restrictedVolumes: PodSecurityCheck = {
  id: 'restrictedVolumes',
  since: 0,
  replaces: 'hostPathVolumes',
  run({ spec }) {
    const bad = (spec.volumes ?? []).flatMap((volume) => {
      const type = typeOf(volume)
      return allowed.has(type) ? [] : [{ name: volume.name, type }]
    })
    if (bad.length === 0) return undefined
    const types = new Set(bad.map(({ type }) => type))
    const volumes = `${plural('volume', bad.length)} ${quoted(bad.map(({ name }) => name))}`
    const uses = bad.length === 1 ? 'uses' : 'use'
    const detail = `${volumes} ${uses} restricted volume ${plural('type', types.size)} ${quotedSet(types)}`
    return { reason: 'restricted volume types', detail }
  },
}

function typeOf(volume: Volume): string {
  return Object.entries(volume).find(([key, value]) => key !== 'name' && value !== undefined && value !== null)?.[0] ?? 'unknown'
}
