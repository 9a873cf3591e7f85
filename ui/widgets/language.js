export default function ({data}) {
    document.documentElement.lang = data.language;
    if (!data.cookie) return;
    const secure = location.protocol === 'https:' ? '; Secure' : '';
    document.cookie = `${data.cookie}=${data.language}; Path=/; Max-Age=${data.seconds}; SameSite=Lax${secure}`;
}
