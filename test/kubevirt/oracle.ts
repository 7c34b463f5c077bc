import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { upstreamSource, type Project } from './source.ts'

const run = promisify(execFile)

/** A program around a part of upstream's own code. */
export interface Oracle extends AsyncDisposable {
  /** Asks for one answer. Requests are answered in their order. */
  ask(request: unknown): Promise<unknown>
}

/** Programs in `oracles/`, and the project that each is built with. */
const programs = {
  bundle: 'operator-registry',
  catalog: 'operator-registry',
  crds: 'kubevirt',
  expand: 'kubevirt',
  networks: 'kubevirt',
  roles: 'kubevirt',
  'vmi-admission': 'kubevirt',
  'upgrade-patches': 'hyperconverged-cluster-operator',
  workloads: 'hyperconverged-cluster-operator',
} as const satisfies Readonly<Record<string, Project>>

export type OracleName = keyof typeof programs

/** An oracle, or why it cannot be built here. */
export type OracleOrReason = { readonly oracle: Oracle } | { readonly missing: string }

/**
 * Builds and starts an oracle in the folder of its project. Its Go files are laid over the source,
 * whose packages belong to its module: nothing is written to the source.
 */
export async function startOracle(name: OracleName, args: readonly string[] = []): Promise<OracleOrReason> {
  const source = await upstreamSource(programs[name])
  if ('missing' in source) return source
  const folder = await mkdtemp(join(tmpdir(), `steadyvm-oracle-${name}-`))
  const own = join(import.meta.dirname, 'oracles', name)
  const place = join(source.folder, 'cmd', `steadyvm-${name}`)
  const files = (await readdir(own)).filter((file) => file.endsWith('.go'))
  const overlay = join(folder, 'overlay.json')
  await mkdir(folder, { recursive: true })
  await writeFile(overlay, JSON.stringify({ Replace: Object.fromEntries(files.map((file) => [join(place, file), join(own, file)])) }))
  const program = join(folder, name)
  try {
    await run('go', ['build', '-overlay', overlay, '-o', program, `./cmd/steadyvm-${name}`], {
      cwd: source.folder,
      // Modules that the source does not bring are downloaded, as go.sum pins them.
      env: { ...process.env, GOFLAGS: existsSync(join(source.folder, 'vendor')) ? '-mod=vendor' : '-mod=readonly', CGO_ENABLED: '0' },
      timeout: 900_000,
      maxBuffer: 1 << 26,
    })
  } catch (error) {
    await rm(folder, { recursive: true })
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { missing: 'there is no Go' }
    throw error
  }
  const child = spawn(program, args, { cwd: source.folder, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return {
    oracle: {
      ask(request) {
        last = last.then(async () => {
          child.stdin.write(`${JSON.stringify(request)}\n`)
          const { value, done } = await lines.next()
          if (done === true) throw new TypeError(`The oracle ${name} ended at ${JSON.stringify(request).slice(0, 200)}`)
          return JSON.parse(value) as unknown
        })
        return last
      },
      async [Symbol.asyncDispose]() {
        child.stdin.end()
        await rm(folder, { recursive: true, force: true })
      },
    },
  }
}
