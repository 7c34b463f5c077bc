import { toYaml } from '#apimachinery/json/yaml.ts'
import type { CliContext } from '../context.ts'

/** How results are printed. */
export type OutputFormat = 'text' | 'json' | 'yaml' | 'name' | 'wide'

/** What a command has to say, in the forms that users can choose. */
export interface Printable {
  /** Kind of the document, for scripts. */
  readonly kind: string
  readonly document: object
  /** Objects as `resource.group/name`. */
  readonly names: readonly string[]
  readonly text: (isWide: boolean) => string
}

/**
 * Version of the documents that commands print; fields are added to it, none is removed or renamed.
 */
export const documentVersion = 'cli.steadyvm.io/v1'

/** Prints a result as the user has asked for it. */
export function print(context: CliContext, format: OutputFormat, { kind, document, names, text }: Printable): void {
  const { stdout } = context.process
  const whole = { apiVersion: documentVersion, kind, ...document }
  switch (format) {
    case 'json':
      stdout.write(`${JSON.stringify(whole, null, 2)}\n`)
      return
    case 'yaml':
      stdout.write(toYaml(whole))
      return
    case 'name':
      stdout.write(names.map((name) => `${name}\n`).join(''))
      return
    case 'text':
    case 'wide':
      stdout.write(text(format === 'wide'))
  }
}

/** The name of a VM as `kubectl get -o name` prints it. */
export function vmResourceName(name: string): string {
  return `virtualmachine.kubevirt.io/${name}`
}
