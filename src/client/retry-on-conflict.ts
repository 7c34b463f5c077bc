import { isConflict } from '#apimachinery/errors.ts'

const maxAttempts = 5

/**
 * Runs an operation that reads an object, decides, and writes on the version that was read. Runs it
 * again when the object changed meanwhile, for example because a controller wrote its status.
 *
 * @param operation must read the object anew at each call
 * @throws the error of the operation: any other than Conflict at once, Conflict after five attempts
 */
export async function retryOnConflict<T>(operation: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await operation()
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error
    }
  }
}
