import { isNotFound } from '#apimachinery/errors.ts'

/** What a request gets; undefined when there is no such object. */
export async function found<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
