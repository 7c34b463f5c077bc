import { posix } from 'node:path'
import type { StatusCause } from '#apimachinery/errors.ts'
import { invalidValue, when } from '../cause.ts'

/** Validates the path of a file in an image: it must not lead out of the image. */
export function validateContainerPath(path: string, field: string): readonly StatusCause[] {
  if (path === '/') return [invalidValue(field, `${field} must not point to root`)]
  const given = path.endsWith('/') ? path.slice(0, -1) : path
  const isClean = posix.join('/', path).replace(/(?<=.)\/$/, '') === given
  return when(!isClean, invalidValue(field, `${field} must be an absolute path to a file without relative components`))
}
