const marker = 'KUBEVIRT_IO_'
/** Labels of one image: they must fit into the message of a worker. */
const mostLabels = 8

/**
 * Labels that an image asks for by its environment, as in CDI:
 * `INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE=fedora` is
 * `instancetype.kubevirt.io/default-preference: fedora`. What is no label is left out. Pure.
 */
export function labelsOf(environment: readonly string[]): Readonly<Record<string, string>> {
  const labels = environment.flatMap((variable) => {
    const at = variable.indexOf('=')
    const name = variable.slice(0, at)
    const value = variable.slice(at + 1)
    const split = name.indexOf(marker)
    if (at === -1 || split === -1) return []
    const prefix = name.slice(0, split).replace(/_$/, '').replaceAll('_', '.')
    const key = `${prefix === '' ? '' : `${prefix}.`}kubevirt.io/${name.slice(split + marker.length).replaceAll('_', '-')}`.toLowerCase()
    return isLabel(key, value) ? [[key, value] as const] : []
  })
  return Object.fromEntries(labels.slice(0, mostLabels))
}

function isLabel(key: string, value: string): boolean {
  const isValue = value.length <= 63 && /^(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?$/.test(value)
  return (
    isValue && key.length <= 253 && /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*kubevirt\.io\/[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(key)
  )
}
