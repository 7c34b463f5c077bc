import type { InstancetypeMatcher, InstancetypeStatusRef, PreferenceMatcher, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { settleMatchers } from '#features/instancetype/index.ts'
import type { SwitchTarget } from '../types.ts'

type Matcher = InstancetypeMatcher | PreferenceMatcher
type Family = SwitchTarget['family']

const families: readonly Family[] = ['instancetype', 'preference']
const refOf = { instancetype: 'instancetypeRef', preference: 'preferenceRef' } as const

/**
 * Returns the VM with another instance type or preference. An explicit revision belongs to the old
 * object, so it is removed.
 */
export function switched(vm: VirtualMachine, { family, kind, name }: SwitchTarget): VirtualMachine {
  const wanted = kind ?? vm.spec[family]?.kind
  return withMatcher(vm, family, wanted === undefined ? { name } : { name, kind: wanted })
}

/**
 * The VM as the refresh of its instance type and preference leaves it: nothing is pinned or
 * captured, so that the live objects count.
 */
export function refreshed(vm: VirtualMachine): VirtualMachine {
  return families.reduce((refreshedVm, family) => {
    const matcher = refreshedVm.spec[family]
    if (matcher === undefined) return refreshedVm
    const { revisionName, ...rest } = matcher
    const unpinned = revisionName === undefined ? refreshedVm : withMatcher(refreshedVm, family, rest)
    return withoutRef(unpinned, family)
  }, vm)
}

/**
 * Returns the VM of a manifest as admission and the VM controller would store it: a name that was
 * inferred before is kept although the manifest requests the inference again, and a revision that
 * the spec no longer names is captured again.
 */
export function withResolvedMatchers(sent: VirtualMachine, live: VirtualMachine | undefined): VirtualMachine {
  return families.reduce(
    (resolved, family) => {
      const [matcher, before] = [resolved.spec[family], live?.spec[family]]
      const isUnpinned = (before?.revisionName ?? '') !== '' && (matcher?.revisionName ?? '') === ''
      return matcher === undefined || isUnpinned ? withoutRef(resolved, family) : resolved
    },
    settleMatchers(sent, live),
  )
}

function withMatcher(vm: VirtualMachine, family: Family, matcher: Matcher): VirtualMachine {
  return { ...vm, spec: { ...vm.spec, [family]: matcher } }
}

function withoutRef(vm: VirtualMachine, family: Family): VirtualMachine {
  const ref: InstancetypeStatusRef | null | undefined = vm.status?.[refOf[family]]
  if (ref === undefined || ref === null) return vm
  const { [refOf[family]]: _, ...status } = vm.status ?? {}
  return { ...vm, status }
}
