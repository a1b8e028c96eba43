/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // Types are checked by `npm run verify`; a first start should not pay for them again.
  typescript: { ignoreBuildErrors: true },
};
