import type { InstancetypeMatcher, PreferenceMatcher, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Lookup } from '../lookup.ts'
import { InferenceFailed } from './inference-failed.ts'
import {
  holds,
  inferredFromAnnotation,
  readInferredFrom,
  settleMatcher,
  type InferredFrom,
  type Matcher,
  type MatcherField,
} from './inferred-from.ts'
import { findVolumeLabels } from './volume-labels.ts'

/** Labels of volumes that name their default instance type and preference. */
export const defaultLabels = {
  instancetype: { name: 'instancetype.kubevirt.io/default-instancetype', kind: 'instancetype.kubevirt.io/default-instancetype-kind' },
  preference: { name: 'instancetype.kubevirt.io/default-preference', kind: 'instancetype.kubevirt.io/default-preference-kind' },
} as const

const fields: readonly MatcherField[] = ['instancetype', 'preference']

/**
 * Restores matchers that were inferred for `old` and are applied again: see {@link settleMatcher}.
 * Returns the same object when nothing changes.
 */
export function settleMatchers(vm: VirtualMachine, old: VirtualMachine | undefined): VirtualMachine {
  const inferred = readInferredFrom(old)
  return fields.reduce((settled, field) => {
    const matcher = settled.spec[field]
    const meant = matcher === undefined ? undefined : settleMatcher(matcher, old?.spec[field], inferred[field])
    if (meant === matcher) return settled
    const next = withMatcher(settled, field, meant)
    // Applying the manifest again also restores the memory that inference has removed.
    return field === 'instancetype' && isIgnoring(matcher) && meant?.inferFromVolume === undefined ? withoutMemory(next) : next
  }, vm)
}

/**
 * Replaces `inferFromVolume` by names, of the instance type first. Returns the same object when
 * nothing is to be inferred. @throws InferenceFailed, StatusError
 */
export async function inferMatchers(
  lookup: Lookup,
  vm: VirtualMachine,
): Promise<{ readonly vm: VirtualMachine; readonly inferred: InferredFrom }> {
  let current = vm
  const inferred: InferredFrom = {}
  for (const field of fields) {
    const matcher = current.spec[field]
    const volume = matcher?.inferFromVolume ?? ''
    if (matcher === undefined || volume === '') continue
    const found = await inferMatcher(lookup, current, field)
    current = withMatcher(current, field, found)
    if (found === undefined) continue
    inferred[field] = { volume, ...found }
    if (field === 'instancetype' && isIgnoring(matcher)) current = withoutMemory(current)
  }
  return { vm: current, inferred }
}

/**
 * Returns the inferred matcher; undefined when the volume has no label and the policy allows it.
 */
async function inferMatcher(
  lookup: Lookup,
  vm: VirtualMachine,
  field: MatcherField,
): Promise<{ readonly name: string; readonly kind?: string } | undefined> {
  const matcher = vm.spec[field] ?? {}
  const label = defaultLabels[field]
  const search = { lookup, namespace: vm.metadata.namespace ?? '', label: label.name }
  try {
    const labels = await findVolumeLabels(search, vm, matcher.inferFromVolume ?? '')
    const kind = labels[label.kind] ?? ''
    return { name: labels[label.name] ?? '', ...(kind === '' ? {} : { kind }) }
  } catch (error) {
    if (error instanceof InferenceFailed && error.ignorable && isIgnoring(matcher)) return undefined
    throw error
  }
}

function isIgnoring(matcher: Matcher | undefined): boolean {
  return matcher?.inferFromVolumeFailurePolicy === 'Ignore'
}

function withMatcher(
  vm: VirtualMachine,
  field: MatcherField,
  matcher: InstancetypeMatcher | PreferenceMatcher | undefined,
): VirtualMachine {
  const { [field]: _, ...spec } = vm.spec
  return { ...vm, spec: matcher === undefined ? spec : { ...spec, [field]: matcher } }
}

/**
 * Removes guest memory, which would conflict with the inferred instance type. Policy Ignore allows
 * it as a fallback.
 */
function withoutMemory(vm: VirtualMachine): VirtualMachine {
  const { template } = vm.spec
  const { memory, ...domain } = template.spec.domain ?? {}
  if (memory === undefined) return vm
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec: { ...template.spec, domain } } } } as VirtualMachine
}

/**
 * Returns the VM with an annotation of what was inferred now, or before for unchanged matchers. The
 * same object when it is up to date.
 */
export function rememberInferred(vm: VirtualMachine, old: VirtualMachine | undefined, inferred: InferredFrom): VirtualMachine {
  const before = readInferredFrom(old)
  const kept = fields.filter((field) => before[field] !== undefined && holds(vm.spec[field], before[field]))
  const note: InferredFrom = { ...Object.fromEntries(kept.map((field) => [field, before[field]])), ...inferred }
  if (Object.keys(note).length === 0) return vm
  const text = JSON.stringify(Object.fromEntries(fields.flatMap((field) => (note[field] === undefined ? [] : [[field, note[field]]]))))
  const { annotations } = vm.metadata
  if (annotations?.[inferredFromAnnotation] === text) return vm
  return { ...vm, metadata: { ...vm.metadata, annotations: { ...annotations, [inferredFromAnnotation]: text } } }
}
