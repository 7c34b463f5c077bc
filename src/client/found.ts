import { isNotFound } from '#apimachinery/errors.ts'

/** Returns the result of a request; undefined when the object does not exist. */
export async function found<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
