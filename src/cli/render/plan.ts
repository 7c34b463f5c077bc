import { describeChange } from '#features/hardware-record/index.ts'
import type { Effect, FieldChange, ObjectReference, Plan, PlannedVm } from '#features/plan/index.ts'
import type { Paint } from './terminal.ts'
import { table } from './terminal.ts'

/** Options of {@link renderPlan}. */
export interface PlanTextOptions {
  /** Lists each VM by itself, with all fields, including unchanged ones. */
  readonly isWide: boolean
  readonly paint: Paint
}

const headings: Readonly<Record<Effect, readonly [colour: Parameters<Paint>[0], text: string]>> = {
  blocked: ['red', 'blocked'],
  conflict: ['red', 'conflict'],
  restart: ['yellow', 'needs a restart'],
  live: ['green', 'applies live'],
  unchanged: ['dim', 'unchanged'],
}

/**
 * Renders a plan: the changes, VMs that need attention first, VMs with the same effect grouped, and
 * totals. `between`: text after the changes.
 */
export function renderPlan(plan: Plan, options: PlanTextOptions, between = ''): string {
  const groups = options.isWide ? plan.virtualMachines.map((vm) => [vm]) : groupsOf(plan.virtualMachines)
  return [
    changesOf(plan, options),
    ...plan.refusals.map(({ object, messages }) => options.paint('red', `${labelOf(object)} would be refused: ${messages.join(', ')}\n`)),
    '\n',
    between,
    ...groups.map((group) => renderGroup(group, options)),
    sumOf(plan),
  ].join('')
}

/** Abbreviates long lists of changes, so that their effects stay on the screen. */
function changesOf({ changes }: Plan, { isWide }: PlanTextOptions): string {
  const asked = changes.filter(({ action }) => action !== 'refuse')
  return asked.length <= mostChanges || isWide ? asked.map(describeAsked).join('') : `${asked.length} changes\n`
}

const mostChanges = 8

function describeAsked({ action, object, to }: Plan['changes'][number]): string {
  const target = to === undefined ? '' : ` to ${to.kind ?? to.family} ${to.name}`
  return `${actions[action].padEnd(9)} ${labelOf(object)}${target}\n`
}

const actions: Readonly<Record<Plan['changes'][number]['action'], string>> = {
  create: 'create',
  edit: 'edit',
  none: 'no change',
  switch: 'switch',
  refresh: 'refresh',
  pin: 'pin',
  refuse: 'refused',
}

/** Renders one VM of a plan. */
export function renderVm(vm: PlannedVm, options: PlanTextOptions): string {
  return renderGroup([vm], options)
}

/** Groups VMs that differ only in their names. */
function groupsOf(vms: readonly PlannedVm[]): (readonly PlannedVm[])[] {
  const groups = new Map<string, PlannedVm[]>()
  for (const vm of vms) {
    const { namespace: _, name: __, ...rest } = vm
    const fields = rest.fields.map(({ object, ...field }) =>
      field.source === 'vm' ? field : { ...field, object: object && labelOf(object) },
    )
    const key = JSON.stringify({ ...rest, fields })
    groups.set(key, [...(groups.get(key) ?? []), vm])
  }
  return [...groups.values()]
}

function renderGroup(group: readonly PlannedVm[], { isWide, paint }: PlanTextOptions): string {
  const [vm] = group
  if (vm === undefined) return ''
  const [colour, text] = headings[vm.effect]
  const when = vm.effect === 'live' && !vm.running && vm.fields.length > 0 ? 'at its next start' : text
  const names = namesOf(group, isWide ? group.length : 3)
  const why = vm.reason === undefined ? '' : `: ${vm.reason}`
  const notes = vm.notes.map((note) => `    ${note}\n`).join('')
  const fields = vm.fields.filter((field) => isWide || !isAnnotation(field))
  const shown = fields.length === 0 ? vm.fields : fields
  const rows = shown.map((field) => ['   ', pathOf(field), `${valueOf(field.old)} → ${valueOf(field.new)}`, originOf(field)])
  return `${paint('bold', names)}  ${paint(colour, when)}${why}\n${notes}${table(rows)}${hardwareOf(vm, isWide)}\n`
}

/** Lists hardware changes that no field of the VM causes. */
function hardwareOf({ hardware = [] }: PlannedVm, isWide: boolean): string {
  const shown = isWide ? hardware : hardware.slice(0, mostHardware)
  const rest = hardware.length - shown.length
  const lines = [...shown.map((change) => `      ${describeChange(change)}\n`), ...(rest > 0 ? [`      and ${rest} more\n`] : [])]
  return lines.length === 0 ? '' : `    after its next start the guest sees\n${lines.join('')}`
}

const mostHardware = 6

function namesOf(group: readonly PlannedVm[], most: number): string {
  const names = group.slice(0, most).map(({ namespace, name }) => `${namespace}/${name}`)
  return names.join(', ') + (group.length > most ? ` and ${group.length - most} more` : '')
}

/**
 * The annotation with the instance type's name follows the matcher that the user has just changed.
 */
function isAnnotation({ path }: FieldChange): boolean {
  return path.startsWith('metadata.annotations[kubevirt.io/')
}

function pathOf({ path }: FieldChange): string {
  return path.replace(/^(virtualMachine\.)?spec\./, '')
}

/** Renders a value of a field. */
export function valueOf(value: unknown): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function originOf({ source, object }: FieldChange): string {
  if (object === undefined) return source === 'default' ? 'follows from the above' : source
  if (object.kind === 'VirtualMachine') return 'the VM itself'
  return object.revision === undefined && object.generation !== undefined
    ? `${labelOf(object)}, generation ${object.generation}`
    : labelOf(object)
}

function labelOf({ kind, name, namespace, generation, revision }: ObjectReference): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`
  if (revision === undefined || generation === undefined) return `${kind} ${place}`
  return `${kind} ${place}, captured at generation ${generation}`
}

const sums: readonly (readonly [Effect, string])[] = [
  ['blocked', 'blocked'],
  ['conflict', 'in conflict'],
  ['restart', 'to restart'],
  ['live', 'without a restart'],
  ['unchanged', 'unchanged'],
]

function sumOf({ summary, virtualMachines, unconcerned }: Plan): string {
  if (virtualMachines.length === 0) return `None of ${unconcerned} VMs is concerned.\n`
  const rest = unconcerned === 0 ? '' : ` (${unconcerned} more ${unconcerned === 1 ? 'is' : 'are'} not concerned)`
  const counts = sums.filter(([effect]) => summary[effect] > 0).map(([effect, text]) => `${summary[effect]} ${text}`)
  return `${virtualMachines.length} VM${virtualMachines.length === 1 ? '' : 's'}: ${counts.join(', ')}${rest}.\n`
}
