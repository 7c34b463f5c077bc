import { readFile } from 'node:fs/promises'
import type { CliContext } from '#cli/context.ts'
import { homeDirectory, requireConfig } from '#cli/cluster/home.ts'

/** Prints the path of the kubeconfig, or its content. */
export async function kubeconfig(this: CliContext, flags: { dataDir?: string; raw: boolean }): Promise<void> {
  const directory = homeDirectory(this, flags.dataDir)
  await requireConfig(directory)
  this.process.stdout.write(flags.raw ? await readFile(directory.kubeconfig, 'utf8') : `${directory.kubeconfig}\n`)
}
