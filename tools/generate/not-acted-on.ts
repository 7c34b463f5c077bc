import type { Declaration, DeclarationIndex, TypeExpression } from './declaration.ts'

function elementOf(type: TypeExpression): { type: TypeExpression; suffix: string } {
  if (type.kind === 'array') return { type: type.item, suffix: '[]' }
  const [only, ...others] = type.kind === 'union' ? type.members.filter((member) => member.kind !== 'null') : []
  return only !== undefined && others.length === 0 ? elementOf(only) : { type, suffix: '' }
}

function pathsBelow(declaration: Declaration, prefix: string, index: DeclarationIndex): readonly string[] {
  return index.propertiesOf(declaration).flatMap(({ property, file }) => {
    const { type, suffix } = elementOf(property.type)
    const path = `${prefix}${property.name}`
    if (property.doc.markers.has('notActedOn')) return [path]
    if (property.doc.markers.has('preserveUnknownFields') || type.kind !== 'name') return []
    const target = index.find(file, type.name)
    return target === undefined || target.alias !== undefined ? [] : pathsBelow(target, `${path}${suffix}.`, index)
  })
}

/**
 * Paths of the fields marked `@notActedOn` below an interface: `domain.devices.disks[].shareable`.
 * Fields below a marked one are left out.
 */
export function notActedOnPaths(declaration: Declaration, index: DeclarationIndex): readonly string[] {
  return pathsBelow(declaration, '', index).toSorted()
}

/** The text of `not-acted-on.generated.ts`. */
export function renderNotActedOn(lists: Readonly<Record<string, readonly string[]>>): string {
  const constants = Object.entries(lists).map(([name, paths]) => {
    const lines = paths.map((path) => `  '${path}',`).join('\n')
    return `export const ${name}: readonly string[] = [\n${lines}\n]\n`
  })
  const header = '// Made by tools/generate from the `@notActedOn` markers. Do not edit: run `npm run generate`.'
  return `${header}\n// Fields that are kept but that nothing here acts on yet, as paths below the spec; \`[]\` stands for any item.\n\n${constants.join('\n')}`
}
