import { phraseOf, type ComponentChange } from '#features/hyperconverged/index.ts'
import { valueOf, type PlanTextOptions } from './plan.ts'
import { table } from './terminal.ts'

const actions: Readonly<Record<ComponentChange['action'], string>> = {
  create: 'is created',
  edit: 'is changed',
  remove: 'is deleted',
}

/** Renders the components that an edit changes, each with its fields. */
export function renderComponents(changes: readonly ComponentChange[], options: PlanTextOptions): string {
  if (changes.length === 0) return 'No component changes.\n\n'
  return changes.map((change) => renderComponent(change, options)).join('')
}

const mostFields = 12

function renderComponent(change: ComponentChange, { isWide, paint }: PlanTextOptions): string {
  const { component, kind, action, isInstalled, fields } = change
  const waiting = isInstalled ? '' : `, once its kind is installed`
  const shown = isWide || action === 'edit' ? fields : fields.slice(0, mostFields)
  const rest = fields.length - shown.length
  const rows = shown.map(({ path, old, new: next, source }) => [
    '   ',
    path.replace(/^spec\./, ''),
    `${valueOf(old)} → ${valueOf(next)}`,
    phraseOf(source),
  ])
  const more = rest > 0 ? `    and ${rest} more\n` : ''
  return `${paint('bold', component)}  ${kind} ${actions[action]}${waiting}\n${table(rows)}${more}\n`
}
