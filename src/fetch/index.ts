// The door of the room that reaches out to addresses which others chose.
export { isNamed, isPublicAddress } from './addresses.ts';
export { type FilePart, type MultipartBody, multipartBody } from './multipartBody.ts';
export {
  checkUrl,
  connectTo,
  type NetworkPolicy,
  namedUrl,
  openUrl,
  shownUrl,
  type Through,
  type UrlAnswer,
  UrlRefused,
  type UrlRequest,
  UrlUnreachable,
} from './openUrl.ts';
export { eachInTime, inTime, type Patience, patienceOf, StoreSilent } from './patience.ts';
export { retryAfterSeconds } from './retryAfter.ts';
export { shortText } from './shortText.ts';
