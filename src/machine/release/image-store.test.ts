import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ImageNotFound, imageDirectory, namesRegistry, parseImageReference, resolveImage } from './image-store.ts'

const release = { version: 'v1.2.3', root: '/release' }

const references = [
  { text: 'steadyvm.io/demo-guest:v1', repository: 'steadyvm.io/demo-guest', version: 'v1' },
  { text: 'demo', repository: 'demo', version: 'latest' },
  { text: 'localhost:5000/a/b:x', repository: 'localhost:5000/a/b', version: 'x' },
  { text: `a/b@sha256:${'0'.repeat(64)}`, repository: 'a/b', version: `sha256-${'0'.repeat(64)}` },
]
for (const { text, repository, version } of references) {
  test(`parseImageReference() parses "${text.slice(0, 30)}"`, () => assert.deepEqual(parseImageReference(text), { repository, version }))
}
for (const text of ['', '../etc', 'a/../../etc:x', '/etc', 'a//b', 'A B', 'a:../x', 'a/.:x']) {
  test(`parseImageReference() refuses "${text}", which would leave the store`, () =>
    assert.throws(() => parseImageReference(text), ImageNotFound))
}

const pulled: Readonly<Record<string, boolean>> = {
  'quay.io/a/b:v1': true,
  'localhost/a': true,
  'localhost:5000/a': true,
  'registry:5000/a': true,
  'docker.io/a': true,
  'steadyvm.io/demo-guest:v2': false,
  'team/disk:v1': false,
  'disk:v1': false,
  'disk.io': false,
}
for (const [reference, isPulled] of Object.entries(pulled)) {
  test(`namesRegistry(): ${reference} ${isPulled ? 'may' : 'must not'} be pulled`, () => assert.equal(namesRegistry(reference), isPulled))
}

test('resolveImage() finds only programs of this release and folders of the store', async (t) => {
  const store = await mkdtemp(join(tmpdir(), 'images-'))
  t.after(() => rm(store, { recursive: true }))
  await mkdir(imageDirectory(store, 'steadyvm.io/demo-guest:v1'), { recursive: true })
  const guest = await resolveImage({ images: store, releases: join(store, 'releases') }, release, 'steadyvm.io/demo-guest:v1')
  assert.deepEqual(guest, { rootDirectory: join(store, 'steadyvm.io/demo-guest/v1'), entrypoint: [] })
  const launcher = await resolveImage({ images: store, releases: join(store, 'releases') }, release, 'steadyvm.io/virt-launcher:v1.2.3')
  assert.equal(launcher.entrypoint[0], '/bin/sh')
  await assert.rejects(
    resolveImage({ images: store, releases: join(store, 'releases') }, release, 'steadyvm.io/virt-launcher:v9.9.9'),
    ImageNotFound,
  )
  await assert.rejects(
    resolveImage({ images: store, releases: join(store, 'releases') }, release, 'steadyvm.io/kubelet:v1.2.3'),
    ImageNotFound,
  )
})

test('resolveImage() lists the images, and the command that registers one', async (t) => {
  const store = await mkdtemp(join(tmpdir(), 'images-'))
  t.after(() => rm(store, { recursive: true }))
  const failure = (): Promise<unknown> =>
    resolveImage({ images: store, releases: join(store, 'releases') }, release, 'nginx:1.27').catch((error: unknown) => error)
  assert.match(String(await failure()), /No images are registered\. To register one, make that folder/)
  await mkdir(imageDirectory(store, 'busybox:1.36'), { recursive: true })
  await mkdir(join(imageDirectory(store, 'example.com/team/tool:v2'), 'bin'), { recursive: true })
  await writeFile(join(imageDirectory(store, 'example.com/team/tool:v2'), 'entrypoint.json'), '["/usr/bin/true"]')
  const message = String(await failure())
  assert.ok(message.includes('Registered images: busybox:1.36, example.com/team/tool:v2.'), message)
  assert.ok(message.includes(`there is no "${imageDirectory(store, 'nginx:1.27')}"`), message)
})
