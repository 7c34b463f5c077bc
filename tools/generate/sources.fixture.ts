import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { DeclarationIndex } from './declaration.ts'
import { readSources } from './read-sources.ts'

const scalars = `
export type Int32 = number
export type UInt32 = number
export type Time = string
export type Quantity = string | number
export type IntOrString = number | string
export type Bytes = string
export type RawObject = Record<string, unknown>
`

const apiObject = `
export interface ObjectMeta { name?: string }
export interface ApiObject { apiVersion?: string; kind?: string; metadata: ObjectMeta }
`

/**
 * Reads sources that exist only in memory: text by path below `src/api`. Scalars and ApiObject are
 * there already.
 */
export function indexOf(sources: Readonly<Record<string, string>>): DeclarationIndex {
  const all = { 'scalars.ts': scalars, 'meta/v1/api-object.ts': apiObject, ...sources }
  const files = Object.fromEntries(Object.entries(all).map(([path, text]) => [`/virtual/src/api/${path}`, text]))
  const tsconfig = JSON.stringify({
    compilerOptions: { noLib: true, allowImportingTsExtensions: true, noEmit: true },
    include: ['**/*.ts'],
  })
  const fileSystem = createVirtualFileSystem({ ...files, '/virtual/src/api/tsconfig.json': tsconfig })
  const units = readSources({ root: '/virtual', projects: ['src/api/tsconfig.json'], include: () => true, fileSystem })
  return new DeclarationIndex(units)
}
