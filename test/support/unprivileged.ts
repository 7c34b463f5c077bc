import { cp, lchown, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unprivilegedUser, withoutRoot } from '#machine/network/unprivileged.fixture.ts'
import { cacheFolder } from './cache.ts'
import { machineAt, prepareHome, type TestMachine } from './machine.ts'

/** Starts a cluster of machine mode without root. */
export async function startUnprivilegedMachine(options: { readonly nodes: number }): Promise<TestMachine> {
  const home = await prepareHome()
  const cache = join(home, 'cache')
  // Others may not enter the folder of the user who runs the tests.
  for (const folder of ['guest-kernel', 'guest-ssh']) await rm(join(cache, folder))
  await cp(join(cacheFolder, 'guest-ssh'), join(cache, 'guest-ssh'), { recursive: true, verbatimSymlinks: true })
  await mkdir(join(cache, 'guest-kernel'))
  for (const path of [home, ...(await readdir(home, { recursive: true })).map((name) => join(home, name))])
    await lchown(path, unprivilegedUser, unprivilegedUser)
  const runAs = withoutRoot([], { [join(cacheFolder, 'guest-kernel')]: join(cache, 'guest-kernel') })
  const machine = machineAt(home, { namespace: 'default', kubeconfig: join(home, 'kubeconfig'), runAs })
  const { code, stderr } = await machine.steadyvm('up', '--nodes', String(options.nodes), '--platform', 'kubevirt')
  if (code === 0) return machine
  await machine[Symbol.asyncDispose]()
  throw new Error(`steadyvm up ended with ${code}: ${stderr}`)
}
