import { RE2JS } from 're2js'
import type { VirtualMachineClone } from '#api/clone/v1beta1/virtual-machine-clone.ts'
import type { SnapshotVirtualMachine } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'

/**
 * Returns the JSON patch operations of the clone, each as text, in the format of a restore. The
 * patches of the user come last.
 */
export function patchesOf({ spec }: VirtualMachineClone, source: SnapshotVirtualMachine): string[] {
  const { metadata, spec: { template } = {} } = source
  const guest = '/spec/template/metadata'
  const operations = [
    ...withoutKeys('/metadata/labels', metadata?.labels, spec.labelFilters),
    ...withoutKeys('/metadata/annotations', metadata?.annotations, spec.annotationFilters),
    ...withoutKeys(`${guest}/labels`, template?.metadata?.labels, spec.template?.labelFilters),
    ...withoutKeys(`${guest}/annotations`, template?.metadata?.annotations, spec.template?.annotationFilters),
    ...addresses(source, spec.newMacAddresses ?? {}),
    ...firmware(source, spec.newSMBiosSerial),
  ]
  return [...operations.map((operation) => JSON.stringify(operation)), ...(spec.patches ?? [])]
}

function withoutKeys(path: string, map: Readonly<Record<string, string>> = {}, filters?: readonly string[]): JsonPatchOperation[] {
  if (filters === undefined) return []
  const isTaken = filterOf(filters)
  return Object.keys(map)
    .filter((key) => !isTaken(key))
    .map((key) => ({ op: 'remove', path: `${path}/${escape(key)}` }))
}

/**
 * KubeVirt's rule: unmatched keys are left out, and an exclusion wins. The engine runs in linear
 * time, whatever the pattern.
 */
function filterOf(filters: readonly string[]): (key: string) => boolean {
  const refused = filters.filter((filter) => filter.startsWith('!')).map((filter) => compileFilter(filter.slice(1)))
  const taken = filters.filter((filter) => !filter.startsWith('!')).map(compileFilter)
  return (key) => taken.some((matches) => matches(key)) && !refused.some((matches) => matches(key))
}

/**
 * Compiles a filter: `*` matches everything, else a regular expression anywhere in the key. @throws
 * for an invalid regular expression
 */
export function compileFilter(filter: string): (key: string) => boolean {
  if (filter === '*') return () => true
  const expression = RE2JS.compile(filter)
  return (key) => expression.matcher(key).find()
}

/** Two machines with one address would not both be reached. */
function addresses({ spec }: SnapshotVirtualMachine, wanted: Readonly<Record<string, string>>): JsonPatchOperation[] {
  return (spec?.template.spec.domain.devices.interfaces ?? []).flatMap(({ name, macAddress }, index): JsonPatchOperation[] => {
    const path = `/spec/template/spec/domain/devices/interfaces/${index}/macAddress`
    const next = wanted[name] ?? ''
    if (next !== '') return [{ op: 'add', path, value: next }]
    return macAddress === undefined ? [] : [{ op: 'remove', path }]
  })
}

/** A machine's identity is its own. */
function firmware({ spec }: SnapshotVirtualMachine, serial: string | undefined): JsonPatchOperation[] {
  const path = '/spec/template/spec/domain/firmware'
  const current = spec?.template.spec.domain.firmware
  if (current === undefined) return serial === undefined ? [] : [{ op: 'add', path, value: { serial } }]
  return [
    ...(current.uuid === undefined ? [] : [{ op: 'remove', path: `${path}/uuid` } as const]),
    ...(serial === undefined
      ? current.serial === undefined
        ? []
        : [{ op: 'remove', path: `${path}/serial` } as const]
      : [{ op: 'add', path: `${path}/serial`, value: serial } as const]),
  ]
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
