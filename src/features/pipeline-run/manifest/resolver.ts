import type { Fields } from './fields.ts'

/** Catalogs of the hub resolver whose objects are shipped with this program. */
const ownCatalogs = { task: 'kubevirt-tekton-tasks', pipeline: 'kubevirt-tekton-pipelines' } as const

/** Returns the name of what a resolver finds, if it is shipped. Faults are recorded. */
export function resolvedName(reference: Fields, resolver: string, wanted: 'task' | 'pipeline'): string {
  const params = reference.list('params').map((param): readonly [string, string] => [param.text('name') ?? '', param.text('value') ?? ''])
  const valueOf = (asked: string): string | undefined => params.find(([name]) => name === asked)?.[1]
  const [catalog, kind, name] = [valueOf('catalog'), valueOf('kind') ?? wanted, valueOf('name')]
  const own = ownCatalogs[wanted]
  if (resolver === 'hub' && catalog === own && kind === wanted && name !== undefined) return name
  const what = `the resolver "${resolver}"${catalog === undefined ? '' : ` with the catalog "${catalog}"`}`
  const remedy = wanted === 'task' ? 'put other Tasks into the file of the Pipeline' : 'add the file of the Pipeline'
  reference.fault('resolver', `${what} is not supported: only hub with ${own} is, whose ${wanted}s are shipped; ${remedy}`)
  return name ?? ''
}
