import { isJsonObject } from '#apimachinery/own-property.ts'
import type { JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'

/** A patch is not a list of operations on the parts that may be overridden. */
export class PatchMalformed extends Error {
  override readonly name = 'PatchMalformed'
}

const operations = ['add', 'remove', 'replace', 'move', 'copy', 'test']
/** Parts of an object that a ComponentOverride may change. An annotation may change the spec. */
const objectRoots = ['/spec/', '/metadata/labels/', '/metadata/annotations/']
const annotationRoots = ['/spec/']

/**
 * Reads a JSON patch: the text of an annotation, or the operations of an object. Pure.
 * @throws PatchMalformed
 */
export function parsePatch(patch: unknown): readonly JsonPatchOperation[] {
  const list = typeof patch === 'string' ? parsed(patch) : patch
  const roots = typeof patch === 'string' ? annotationRoots : objectRoots
  if (!Array.isArray(list)) throw new PatchMalformed('the patch must be a list of operations')
  for (const [index, operation] of (list as readonly unknown[]).entries()) checkOperation(operation, `operation ${index}`, roots)
  return list as readonly JsonPatchOperation[]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new PatchMalformed(`the patch is not JSON: ${(cause as Error).message}`, { cause })
  }
}

function checkOperation(operation: unknown, what: string, roots: readonly string[]): void {
  if (!isJsonObject(operation)) throw new PatchMalformed(`${what} must be an object`)
  const { op, path, from, value } = operation
  if (typeof op !== 'string' || !operations.includes(op))
    throw new PatchMalformed(`${what} must have op ${operations.join(', ')}, and has ${JSON.stringify(op)}`)
  checkPath(path, `path of ${what}`, roots)
  if (op === 'move' || op === 'copy') checkPath(from, `from of ${what}`, roots)
  if ((op === 'add' || op === 'replace') && value === undefined) throw new PatchMalformed(`${what} must have a value`)
}

function checkPath(path: unknown, what: string, roots: readonly string[]): void {
  if (typeof path !== 'string' || !roots.some((root) => path.startsWith(root) && path.length > root.length))
    throw new PatchMalformed(`${what} must begin with ${roots.join(', ')}, and is ${JSON.stringify(path)}`)
}
