/**
 * Uploads of disk images, as `virtctl image-upload` makes them: tokens of the aggregated API
 * `upload.cdi.kubevirt.io`, and the proxy that passes the bytes on to the worker of a claim.
 *
 * virt-api serves `uploadGroup` behind the APIService of `uploadApiServices`, and
 * `createUploadProxy` on paths of its own, without the API server;
 * `findUploadServer` leads to it. Workers are started by
 * `#features/data-volume`.
 */
export { uploadApiServices } from './api-services.ts'
export { createUploadProxy, type UploadProxy } from './upload-proxy.ts'
export { findUploadServer } from './upload-publisher.ts'
export { createUploadTokens } from './upload-tokens.ts'
export { uploadGroup } from './token-requests.ts'
