import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { badInput, exitCodes, TaskFailed } from '../../exit-codes.ts'
import { splitWords } from '../../program/split-words.ts'
import type { TaskContext } from '../../task.ts'

/** A pair of keys, as ssh-keygen writes them. */
export interface KeyPair {
  readonly privateKey: string
  readonly publicKey: string
}

/** Flags of ssh-keygen with a value that describe a key. */
const valueFlags: readonly string[] = ['t', 'b', 'C', 'N', 'a', 'm', 'Z', 'O', 'n', 'I', 'V', 'z']
/** Those without a value. */
const bareFlags: readonly string[] = ['o', 'q', 'v']

/**
 * Completes `additionalSSHKeygenOptions`: RSA of 4096 bits without a passphrase, unless they say
 * otherwise. @throws TaskFailed for options that do something else than to make a key
 */
export function keygenOptions(text: string, user: string | undefined): readonly string[] {
  const words = splitWords(text)
  if (words === undefined) throw badInput('Parameter additionalSSHKeygenOptions has a quote that is not closed')
  const values = new Map<string, string>()
  const kept: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const [, letter = '', attached = ''] = /^-([A-Za-z])(.*)$/s.exec(word) ?? []
    if (bareFlags.includes(letter) && attached === '') kept.push(word)
    else if (valueFlags.includes(letter)) {
      if (attached === '') index += 1
      const value = attached === '' ? words[index] : attached
      if (value === undefined) throw badInput(`Parameter additionalSSHKeygenOptions lacks the value of "${word}"`)
      values.set(letter, value)
      kept.push(`-${letter}`, value)
    } else throw badInput(`Parameter additionalSSHKeygenOptions may not have ${JSON.stringify(word)}: it is no option of a new key`)
  }
  if ((values.get('N') ?? '') !== '')
    throw badInput('Parameter additionalSSHKeygenOptions may not set a passphrase (-N): tasks could not use the key')
  const type = values.get('t') ?? 'rsa'
  return [
    ...(values.has('t') ? [] : ['-t', type]),
    ...(type === 'rsa' && !values.has('b') ? ['-b', '4096'] : []),
    ...(values.has('N') ? [] : ['-N', '']),
    ...(values.has('C') ? [] : ['-C', `${user ?? 'default'}@generated`]),
    ...kept,
  ]
}

/** Makes a pair of keys. No file of it is left. @throws TaskFailed */
export async function makeKeys({ directory, runCommand, signal }: TaskContext, options: readonly string[]): Promise<KeyPair> {
  const folder = join(directory, 'keys')
  await mkdir(folder, { mode: 0o700 })
  try {
    const file = join(folder, 'id')
    const { code } = await runCommand(['ssh-keygen', '-q', ...options, '-f', file], { signal })
    if (code !== 0) throw new TaskFailed(exitCodes.failed, `ssh-keygen ended with exit code ${code}`)
    const [privateKey, publicKey] = await Promise.all([readFile(file, 'utf8'), readFile(`${file}.pub`, 'utf8')])
    return { privateKey, publicKey }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
