import { badInput } from '../../exit-codes.ts'

/** A key of a Secret. */
const keyPattern = /^([-._a-zA-Z0-9]+):(.*)$/s

/**
 * Reads `privateKeyConnectionOptions`: words of the form `KEY:VALUE`. A word without a key belongs
 * to the value before it. @throws TaskFailed
 */
export function parseConnectionOptions(words: readonly string[]): Readonly<Record<string, string>> {
  const values = new Map<string, string>()
  let last: string | undefined
  for (const word of words) {
    const [, key, value = ''] = keyPattern.exec(word.trimStart()) ?? []
    if (key !== undefined) {
      if (values.has(key)) throw badInput(`Parameter privateKeyConnectionOptions has the key "${key}" twice`)
      values.set(key, value)
      last = key
    } else if (last === undefined) {
      throw badInput(`Parameter privateKeyConnectionOptions must begin with KEY:VALUE, and begins with ${JSON.stringify(word)}`)
    } else values.set(last, `${values.get(last) ?? ''} ${word}`)
  }
  for (const key of ['ssh-privatekey', 'ssh-private-key'])
    if (values.has(key)) throw badInput(`Parameter privateKeyConnectionOptions may not have "${key}": that is the key which is generated`)
  return Object.fromEntries(values)
}
