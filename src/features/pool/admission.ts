import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePool, VirtualMachinePoolSelectors } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { SelectorError } from '#apimachinery/selectors/label-selector.ts'
import { whyNotSelected } from '#apimachinery/selectors/why-not-selected.ts'
import { parseSelectors } from './members/choose.ts'

const templatePath = 'spec.virtualMachineTemplate.'

/**
 * Returns the VM that is judged in place of the pool: all VMs of a pool are valid if one is.
 * Undefined for a template without spec.
 */
export function memberToJudge({ spec, metadata }: VirtualMachinePool): VirtualMachine | undefined {
  const { spec: vm, metadata: own } = spec.virtualMachineTemplate
  if (vm === undefined) return undefined
  return {
    metadata: {
      labels: own?.labels ?? {},
      annotations: own?.annotations ?? {},
      name: metadata.name ?? '',
      namespace: metadata.namespace ?? '',
    },
    spec: vm,
  }
}

/** Moves a path below a VM's spec, or a text with such paths, to that of the pool's template. */
export function inTemplate(text: string): string {
  return text.replaceAll(/(?<![\w.])spec\./g, `${templatePath}spec.`)
}

/** Validates a pool, except for the VM in its template. KubeVirt's rules and texts. */
export function validatePool(pool: VirtualMachinePool, old: VirtualMachinePool | undefined): StatusCause[] {
  return [
    ...validateSelector(pool, old),
    ...validateMaxUnavailable(pool),
    ...validateStrategy('updateStrategy', pool.spec.updateStrategy),
    ...validateStrategy('scaleInStrategy', pool.spec.scaleInStrategy),
    ...validateSelectors('updateStrategy', pool.spec.updateStrategy?.proactive?.selectionPolicy?.selectors),
    ...validateSelectors('scaleInStrategy', pool.spec.scaleInStrategy?.proactive?.selectionPolicy?.selectors),
    ...validateHealing(pool),
  ]
}

/** Returns warnings about values that all VMs of a pool would share, or that have no effect. */
export function warnOfPool({ spec }: VirtualMachinePool): string[] {
  const { proactive, opportunistic } = spec.scaleInStrategy ?? {}
  const strategy = proactive === undefined ? 'opportunistic' : 'proactive'
  const { domain } = spec.virtualMachineTemplate.spec?.template.spec ?? {}
  const at = `${templatePath}spec.template.spec.domain`
  const shared = [
    ...(domain?.firmware?.uuid === undefined ? [] : [`${at}.firmware.uuid`]),
    ...(domain?.firmware?.serial === undefined ? [] : [`${at}.firmware.serial`]),
    ...(domain?.devices.interfaces ?? []).flatMap(({ macAddress }, index) =>
      (macAddress ?? '') === '' ? [] : [`${at}.devices.interfaces[${index}].macAddress`],
    ),
  ]
  return [
    ...shared.map((path) => `${path} is the same for all VMs of the pool`),
    ...((proactive ?? opportunistic)?.statePreservation === 'Online'
      ? [`spec.scaleInStrategy.${strategy}.statePreservation: Online preserves disks, as Offline does; memory is not preserved yet`]
      : []),
  ]
}

function validateSelector({ spec }: VirtualMachinePool, old: VirtualMachinePool | undefined): StatusCause[] {
  const fault = whyNotSelected(spec.selector, spec.virtualMachineTemplate.metadata?.labels)
  const isChanged = old !== undefined && !semanticEqual(spec.selector, old.spec.selector)
  return [
    ...(fault === undefined ? [] : [invalid('spec.selector', fault)]),
    ...(isChanged ? [invalid('spec.selector', 'selector is immutable after creation.')] : []),
  ]
}

function validateMaxUnavailable({ spec: { maxUnavailable } }: VirtualMachinePool): StatusCause[] {
  const field = 'spec.maxUnavailable'
  if (maxUnavailable === undefined) return []
  if (typeof maxUnavailable === 'number') return maxUnavailable > 0 ? [] : [invalid(field, 'maxUnavailable must be greater than 0')]
  if (!maxUnavailable.endsWith('%')) return [invalid(field, 'maxUnavailable percentage must end with %')]
  const text = maxUnavailable.slice(0, -1)
  if (!/^[+-]?\d+$/.test(text)) {
    return [invalid(field, `maxUnavailable percentage value "${text}" is invalid: strconv.Atoi: parsing "${text}": invalid syntax`)]
  }
  const percentage = Number(text)
  if (percentage > 0 && percentage <= 100) return []
  return [invalid(field, `maxUnavailable percentage value ${percentage} must be between 1 and 100`)]
}

function validateStrategy(name: 'updateStrategy' | 'scaleInStrategy', strategy: object = {}): StatusCause[] {
  const set = Object.entries(strategy).flatMap(([kind, value]) => (value === undefined || value === null ? [] : [kind]))
  if (set.length <= 1) return []
  return [invalid(`spec.${name}`, `only one strategy can be configured at a time: but found ${set.join(', ')} strategies`)]
}

function validateSelectors(name: string, selectors: VirtualMachinePoolSelectors | undefined): StatusCause[] {
  try {
    if (selectors !== undefined) parseSelectors(selectors)
    return []
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    return [invalid(`spec.${name}.proactive.selectionPolicy.selectors`, error.message)]
  }
}

function validateHealing({ spec: { autohealing } }: VirtualMachinePool): StatusCause[] {
  const duration = autohealing?.minFailingToStartDuration
  if (duration === undefined || (durationMs(duration) ?? -1) >= 0) return []
  return [invalid('spec.autohealing.minFailingToStartDuration', `"${duration}" is not a duration such as 5m or 1m30s`)]
}

function invalid(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}
