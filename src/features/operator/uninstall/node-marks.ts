import type { Node } from '#api/core/v1/node.ts'
import { healthNames } from '#features/node-health/index.ts'
import { names } from '#features/vmi/index.ts'

const ourOwn: readonly string[] = [
  names.releaseLabel,
  names.launcherImageAnnotation,
  healthNames.plannedAnnotation,
  healthNames.wordAnnotation,
]

/**
 * Returns a merge patch that removes the system's labels and annotations from a node, or undefined
 * when it has none. Pure.
 */
export function marksOf({ metadata }: Node): object | undefined {
  const labels = marked(metadata.labels)
  const annotations = marked(metadata.annotations)
  return Object.keys({ ...labels, ...annotations }).length === 0 ? undefined : { metadata: { labels, annotations } }
}

function marked(values: Readonly<Record<string, string>> | null | undefined): Record<string, null> {
  return Object.fromEntries(
    Object.keys(values ?? {})
      .filter(isMark)
      .map((key) => [key, null]),
  )
}

function isMark(key: string): boolean {
  const [domain = ''] = key.split('/')
  return domain === 'kubevirt.io' || domain.endsWith('.node.kubevirt.io') || ourOwn.includes(key)
}
