import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly username?: string
  readonly identityFile?: string
  readonly port: number
  readonly knownHosts?: string
  readonly localSshOpts?: readonly string[]
  readonly command?: string
}

/**
 * Opens a shell in a guest with this machine's `ssh`, whose connection goes through the API server.
 */
export async function ssh(this: CliContext, flags: Flags, target: string): Promise<void> {
  const { env } = this.process
  const [user, vm] = splitUser(target)
  using cluster = await connectChosenCluster(this, flags)
  const { namespace, name } = parseVmKey(vm, flags.namespace ?? cluster.namespace)
  const username = flags.username ?? user
  const knownHosts = flags.knownHosts ?? join(env['HOME'] ?? '.', '.ssh', 'kubevirt_known_hosts')
  const args = [
    '-o',
    `ProxyCommand=${proxyCommand(flags, { namespace, name })}`,
    '-o',
    `UserKnownHostsFile=${knownHosts}`,
    ...(flags.identityFile === undefined ? [] : ['-i', flags.identityFile]),
    ...(flags.localSshOpts ?? []).flatMap((option) => option.split(/\s+/)),
    `${username === undefined ? '' : `${username}@`}vm.${name}.${namespace}`,
    ...(flags.command === undefined ? [] : [flags.command]),
  ]
  const exitCode = await run('ssh', args, env)
  if (exitCode !== 0) this.process.stderr.write(`command terminated with exit code ${exitCode}\n`)
  this.process.exitCode = exitCode
}

function splitUser(target: string): readonly [user: string | undefined, vm: string] {
  const at = target.indexOf('@')
  return at < 0 ? [undefined, target] : [target.slice(0, at), target.slice(at + 1)]
}

/** The command that ssh runs in a shell for its connection: this program. */
function proxyCommand(
  { kubeconfig, context, port }: Flags,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  const flags = [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context === undefined ? [] : ['--context', context]),
  ]
  const words = [process.execPath, process.argv[1] ?? '', 'port-forward', '--stdio', ...flags, `${namespace}/${name}`, String(port)]
  // ssh replaces %-sequences.
  return words.map((word) => `'${word.replaceAll('%', '%%').replaceAll("'", `'\\''`)}'`).join(' ')
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env })
    child.once('error', ({ message }) =>
      reject(new CommandError(`Cannot run ${program} (${message}): install it, for example with "apt-get install openssh-client"`)),
    )
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 0) : 1))
  })
}
