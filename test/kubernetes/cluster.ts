// Starts and ends a Kubernetes cluster of several nodes on this machine; see README.md.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findOnPath } from '../support/kubectl.ts'
import { installationOn } from './installation/installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { buildPrograms } from './programs/build.ts'
import { foldersOf } from './settings.ts'

const usage = `usage: node test/kubernetes/cluster.ts [--home DIR] [--programs DIR] COMMAND
  build [NAME …]                            build the programs, or only some, from Go modules
  up [--nodes 3] [--features GATE=true,…]   start what does not run, and wait for the nodes
  down [--data]                             end everything; --data also removes what is stored
  install                                   build images of the checkout, and install steadyvm from them
  run PROGRAM [ARGUMENT …]                  run a program in the cluster's network
  kubeconfig                                print the path of the administrator's kubeconfig
  load FILE.tar                             import an image archive into every node
  kill HOST [PROGRAM]                       kill a program, or everything, on node-N or control-plane
`

// What comes after "run" belongs to the program.
const words = process.argv.slice(2)
const run = words.indexOf('run')
const { values, positionals } = parse(run === -1 ? words : words.slice(0, run + 1))
const folders = foldersOf(values)
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const cluster = new KubernetesCluster(folders, print)
const [command, first, second] = positionals
try {
  if (command === 'build') await buildPrograms(folders.programs, positionals.slice(1), print)
  else if (command === 'up') await cluster.up({ ...given('nodes', numberOf(values.nodes)), ...given('features', values.features) })
  else if (command === 'down') await cluster.down({ data: values.data === true })
  else if (command === 'run' && words.length > run + 1) runProgram(words.slice(run + 1))
  else if (command === 'install') await installCheckout()
  else if (command === 'kubeconfig') print(cluster.kubeconfig)
  else if (command === 'load' && first !== undefined) await cluster.load(first)
  else if (command === 'kill' && first !== undefined) await cluster.kill(first, second)
  else fail(usage)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function parse(args: string[]): {
  values: Partial<Record<'home' | 'programs' | 'nodes' | 'features', string>> & { data?: boolean }
  positionals: string[]
} {
  const text = { type: 'string' } as const
  const options = {
    home: text,
    programs: text,
    nodes: text,
    features: text,
    data: { type: 'boolean' },
  } as const
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`)
  }
}

async function installCheckout(): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'steadyvm-install-'))
  try {
    await installationOn(cluster, { work }).installCheckout()
  } finally {
    await rm(work, { recursive: true })
  }
}

/** Becomes the program, which gets all signals and decides the exit code. */
function runProgram(program: readonly string[]): never {
  const [enter = '', ...args] = cluster.inNetwork(program)
  if (process.execve === undefined) return fail('This Node cannot replace its process by a program\n')
  return process.execve(findOnPath(enter) ?? enter, [enter, ...args], cluster.environment)
}

function numberOf(value: string | undefined): number | undefined {
  if (value === undefined || /^[1-9]\d?$/.test(value)) return value === undefined ? undefined : Number(value)
  return fail(`${value} is no number from 1 to 99\n${usage}`)
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): Partial<Record<Key, Value>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Value>)
}

function fail(message: string): never {
  process.stderr.write(message)
  process.exit(2)
}
